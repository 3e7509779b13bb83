import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';
import type { StreamEnd, Verdict } from '../definition/dialect.ts';
import { errorText, withoutNoise } from './error-text.ts';

/** Exit codes by which programs say that a signal ended them. */
const SIGNAL_CODES: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  137: 'SIGKILL',
  143: 'SIGTERM',
};
/** Ways to ask a program to stop. SIGKILL is not one of them: it comes from the out-of-memory killer or a forced kill. */
const ASKED_TO_STOP = new Set(['SIGHUP', 'SIGINT', 'SIGTERM']);

/** The meaning of a text on stderr, with a specific hint where the default one does not fit. */
export type WordsRule = readonly [pattern: RegExp, code: ErrorCode, hint?: string];

/** Known facts about an agent, and about the turn that it did not end. */
export type EndFacts = {
  /** Lines that the agent prints on standard error in healthy runs. */
  noise?: readonly RegExp[];
  /** Error codes by the agent's text on standard error; the first match counts. */
  words?: readonly WordsRule[];
  /** Errors by exit code, for an agent that had been understood and wrote nothing on standard error. */
  exits?: Readonly<Record<number, ErrorInfo>>;
  /** The last error that the agent reported in its output; it explains a failure better than the exit code. */
  lastError?: ErrorInfo | undefined;
  /** True if the agent had printed anything that could be understood. */
  understood?: boolean;
};

/** Judges a turn whose agent ended without a verdict on it. */
export function judgeEnd(end: StreamEnd, label: string, facts: EndFacts = {}): Verdict {
  const words = errorText(end.stderr, facts.noise);
  const error = stopError(end, label, words) ?? explainedError(end, facts, words);
  return { outcome: 'failed', error: error ?? exitError(end, label, facts, words) };
}

/** The error of an agent that a signal ended, or whose connection was lost. */
function stopError(end: StreamEnd, label: string, words: string): ErrorInfo | undefined {
  if (end.lost !== undefined) {
    return errorInfo('network_unreachable', `The connection to ${label} was lost: ${end.lost}`);
  }
  const signal = end.signal ?? (end.code == null ? undefined : SIGNAL_CODES[end.code]);
  if (signal && ASKED_TO_STOP.has(signal)) {
    const stopped = `${label} was stopped by ${signal} before it had finished.`;
    return errorInfo('interrupted', `${stopped}${said(words)}`);
  }
  if (end.signal)
    return errorInfo('agent_crashed', `${label} was killed by ${signal}.${said(words)}`);
  return undefined;
}

/** The error by what the agent itself said or means by its exit code. */
function explainedError(end: StreamEnd, facts: EndFacts, words: string): ErrorInfo | undefined {
  if (facts.lastError) return facts.lastError;
  if (end.code) {
    const text = withoutNoise(end.stderr, facts.noise);
    const rule = facts.words?.find(([pattern]) => pattern.test(text));
    if (rule) return errorInfo(rule[1], words, rule[2] ? { hint: rule[2] } : {});
  }
  const isSilent = facts.understood === true && words === '';
  return isSilent && end.code != null ? facts.exits?.[end.code] : undefined;
}

function exitError(end: StreamEnd, label: string, facts: EndFacts, words: string): ErrorInfo {
  if (end.code == null) return errorInfo('interrupted', `The output of ${label} is truncated.`);
  const signal = SIGNAL_CODES[end.code];
  if (signal) return errorInfo('agent_crashed', `${label} was killed by ${signal}.${said(words)}`);
  if (end.code !== 0) {
    return errorInfo('agent_crashed', words || `${label} exited with code ${end.code}.`);
  }
  if (facts.understood === false) {
    const message = `${label} exited without any recognizable output.${said(words)}`;
    return errorInfo('output_unreadable', message);
  }
  return errorInfo(
    'output_truncated',
    `${label} exited without a result; its output is truncated.`,
  );
}

function said(words: string): string {
  return words ? ` Last output: ${words}` : '';
}
