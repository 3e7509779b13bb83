import { shortened, showUnseenInLine } from '@baton/protocol';
import { byDirection } from '../text/right-to-left.ts';
import styles from './literal-text.module.css';

/** Browsers are slow to lay out longer bidirectional text. */
const MAX_LENGTH = 4096;

/**
 * A command, path or URL on one line, exactly as it is: invisible characters are marked, spaces are kept, and
 * right-to-left letters do not reorder it. Text that is too long ends with "…".
 */
export function LiteralText({ text }: { text: string }) {
  return (
    <bdi className={styles.text} dir="ltr">
      <LeftToRight text={shortened(showUnseenInLine(text), MAX_LENGTH)} />
    </bdi>
  );
}

/** Text whose words keep their left-to-right order, also with right-to-left letters. */
export function LeftToRight({ text }: { text: string }) {
  return byDirection(text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no name, and none moves
    index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part,
  );
}
