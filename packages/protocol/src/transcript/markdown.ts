import { inOneLine, withoutLastBreaks } from '../one-line.ts';
import { plainOutput } from './plain-output.ts';

/** A text in one line. */
export function inline(text: string): string {
  return inOneLine(plainOutput(text));
}

/** A text in one line as code: whatever it contains, it stays inside. */
export function code(text: string): string {
  const flat = inline(text);
  const ticks = '`'.repeat(longestRun(flat) + 1);
  return ticks.length === 1 ? `\`${flat}\`` : `${ticks} ${flat} ${ticks}`;
}

/** Lines as code, in a fence that is longer than any in them. */
export function fenced(text: string): string {
  const plain = withoutLastBreaks(plainOutput(text));
  const fence = '`'.repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}\n${plain}\n${fence}`;
}

/** Lines as a quotation. */
export function quoted(text: string): string {
  return plainOutput(text).replaceAll(/^/gm, '> ');
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}
