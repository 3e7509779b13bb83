import { beginningOf } from '@baton/protocol';

/** A line may be cut when it is longer than this. */
const LONGEST_LINE = 2000;

/** The beginning of a long text, up to the end of a line where one is near; all of it when it is not too long. */
export function firstLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf('\n', most - 1);
  if (end >= most - LONGEST_LINE) return text.slice(0, end + 1);
  return beginningOf(text, most);
}
