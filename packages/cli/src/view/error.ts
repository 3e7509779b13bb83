import type { ErrorInfo } from '@baton/protocol';
import { safe, style } from './style.ts';

/** The lines that tell a person what went wrong and what to do. */
export function errorLines(error: ErrorInfo): string[] {
  const { stderr } = process;
  const lines = [`${style(stderr, 'red', `error (${error.code}):`)} ${safe(error.message)}`];
  if (error.hint) lines.push(`${style(stderr, 'cyan', 'hint:')} ${safe(error.hint)}`);
  return lines;
}
