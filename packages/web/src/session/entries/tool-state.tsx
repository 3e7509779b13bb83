import { Badge, Dot, type Tone } from '../../design/badge.tsx';
import { duration } from '../../text/time.ts';
import type { ToolEntry } from './entry-of.ts';

const OUTCOMES: Readonly<Record<string, { words: string; tone: Tone }>> = {
  error: { words: 'failed', tone: 'bad' },
  denied: { words: 'denied', tone: 'warn' },
  cancelled: { words: 'cancelled', tone: 'neutral' },
};

/** Outcome and duration of a tool call. */
export function ToolState({ entry: { action, open, outcome, durationMs } }: { entry: ToolEntry }) {
  const exitCode = action.type === 'command' ? action.exitCode : undefined;
  const ended = outcome && OUTCOMES[outcome];
  return (
    <>
      {exitCode === 0 && <span>exit 0</span>}
      {exitCode ? <Badge tone="bad">exit {exitCode}</Badge> : null}
      {ended && !exitCode && <Badge tone={ended.tone}>{ended.words}</Badge>}
      {durationMs !== undefined && <span>{duration(durationMs)}</span>}
      {open && <Dot tone="info" label="running" alive />}
      {outcome === 'ok' && <Dot tone="good" label="succeeded" />}
    </>
  );
}
