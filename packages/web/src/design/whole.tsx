import { showUnseenInLine } from '@baton/protocol';
import { Exact } from './exact.tsx';
import { LongText } from './long-text.tsx';

/** More than that is not read in a line, and takes a browser long to put in order. */
const A_LINE = 1000;

/** A path or some words to judge, of which nothing is hidden without a word. */
export function Whole({ text }: { text: string }) {
  const shown = showUnseenInLine(text);
  return shown.length > A_LINE ? <LongText text={shown} /> : <Exact text={text} />;
}
