import type { ErrorInfo } from '@baton/protocol';
import { safe, style } from './style.ts';
import { wrapForTerminal } from './word-wrap.ts';

/** The lines that tell a person what went wrong and what to do. */
export function errorLines(error: ErrorInfo): string[] {
  const lines = [labelled('red', `error (${error.code}):`, error.message)];
  if (error.hint) lines.push(labelled('cyan', 'hint:', error.hint));
  return lines;
}

function labelled(colour: 'red' | 'cyan', label: string, text: string): string {
  const { stderr } = process;
  const whole = wrapForTerminal(stderr, safe(`${label} ${text}`));
  // A terminal may be too narrow even for the label.
  if (!whole.startsWith(label)) return whole;
  return `${style(stderr, colour, label)}${whole.slice(label.length)}`;
}
