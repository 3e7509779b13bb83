import { type AgentEvent, actionLine, type EventOf } from '@baton/protocol/values';
import { errorLines } from './error-lines.ts';
import { duration } from './format.ts';
import { asked, oneLine } from './style.ts';
import type { View } from './view.ts';

/**
 * View for pipes: prints the answer to standard output when the run is done, byte for byte as the agent wrote it, and
 * nothing else there, no newline either. Other messages of the agent go to standard error if that is a terminal, or
 * with `verbose`.
 */
export function plainView({ verbose = false }: { verbose?: boolean } = {}): View {
  const isWatched = process.stderr.isTTY === true;
  /** Last message: the answer, unless another one follows. */
  let said: string | undefined;
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const narrate = () => {
    if (said && (verbose || isWatched)) tell(asked(said));
    said = undefined;
  };
  const tellNotice = ({ level, message }: EventOf<'notice'>) => {
    const isInfo = level === 'info';
    if (!isInfo || verbose) tell(`${isInfo ? 'info' : 'warning'}: ${oneLine(message, 200)}`);
  };
  const end = ({ outcome, output, error }: EventOf<'run.completed'>) => {
    if (outcome === 'done') return void process.stdout.write(output);
    if (outcome === 'cancelled') return;
    if (said) tell(asked(said));
    if (error) tell(errorLines(error).join('\n'));
  };
  return {
    show(event: AgentEvent) {
      if (event.type === 'notice') return tellNotice(event);
      if ('parentId' in event && event.parentId) return;
      switch (event.type) {
        case 'message.completed':
          if (event.kind !== 'text') return;
          narrate();
          if (!event.incomplete) said = event.text;
          return;
        case 'tool.started':
          return narrate();
        case 'tool.completed':
          return isWatched ? tell(toolLine(event)) : undefined;
        case 'run.completed':
          return end(event);
      }
    },
  };
}

function toolLine(event: EventOf<'tool.completed'>): string {
  const mark = event.outcome === 'ok' ? '✓' : '✗';
  const words = oneLine(actionLine(event.name, event.action), 100);
  return `${mark} ${words} (${duration(event.durationMs ?? 0)})`;
}
