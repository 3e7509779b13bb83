import { errorInfo } from '@baton/protocol';
import type { StreamEnd, Verdict } from '../dialect.ts';
import { errorText } from './error-text.ts';

/** Exit codes by which programs say that a signal ended them. */
const SIGNAL_CODES: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  137: 'SIGKILL',
  143: 'SIGTERM',
};
/** Ways to ask a program to stop. A kill is none: that is a lack of memory, or somebody who has lost patience. */
const ASKED_TO_STOP = new Set(['SIGHUP', 'SIGINT', 'SIGTERM']);

export type EndFacts = {
  /** Lines of standard error that mean nothing. */
  noise?: readonly RegExp[];
  /** Whether the agent had said anything that could be understood. */
  understood?: boolean;
};

/** Judges a turn whose agent ended without a word about it. */
export function judgeEnd(end: StreamEnd, label: string, facts: EndFacts = {}): Verdict {
  const words = errorText(end.stderr, facts.noise);
  const signal = end.signal ?? (end.code == null ? undefined : SIGNAL_CODES[end.code]);
  if (signal && ASKED_TO_STOP.has(signal)) {
    const stopped = `${label} was stopped by ${signal} before it had finished.`;
    return failed('interrupted', `${stopped}${said(words)}`);
  }
  if (signal) return failed('agent_crashed', `${label} was killed by ${signal}.${said(words)}`);
  if (end.code == null) return failed('interrupted', `${label}: its output breaks off.`);
  if (end.code !== 0)
    return failed('agent_crashed', words || `${label} ended with exit code ${end.code}.`);
  if (facts.understood === false) {
    return failed(
      'output_unreadable',
      `${label} ended without printing anything that could be read.${said(words)}`,
    );
  }
  return failed('output_truncated', `${label} ended without a result; its output breaks off.`);
}

function failed(code: Parameters<typeof errorInfo>[0], message: string): Verdict {
  return { outcome: 'failed', error: errorInfo(code, message) };
}

function said(words: string): string {
  return words ? ` It said: ${words}` : '';
}
