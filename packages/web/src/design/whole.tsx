import { showUnseenInLine } from '@baton/protocol';
import { Exact } from './exact.tsx';
import { LongText } from './long-text.tsx';
import styles from './whole.module.css';

/** More than that is not read in a line, and takes a browser long to put in order. */
const A_LINE = 1000;

/** A path or some words to judge, of which nothing is hidden without a word. */
export function Whole({ text }: { text: string }) {
  const shown = showUnseenInLine(text);
  if (shown.length <= A_LINE) return <Exact text={text} />;
  return (
    <div className={styles.long}>
      <LongText text={shown} />
    </div>
  );
}
