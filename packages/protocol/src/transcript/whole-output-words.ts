import { showUnseenInLine } from '../unseen.ts';
import type { ToolEntry } from './entry.ts';

/** Says that an agent gave only a part of a tool's output, and where the rest is. */
export function wholeOutputWords({ path, bytes }: NonNullable<ToolEntry['wholeOutput']>): string {
  const size = bytes === undefined ? '' : ` of ${bytes.toLocaleString('en-US')} bytes`;
  const place = path === undefined ? '' : `: ${showUnseenInLine(path)}`;
  return `The agent cut this output${size}${place}`;
}
