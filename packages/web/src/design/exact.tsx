import { shortened, showUnseenInLine } from '@baton/protocol';
import { byDirection } from '../text/right-to-left.ts';
import styles from './exact.module.css';

/** Browsers take long to put many words in their order. */
const LONGEST_LINE = 4096;

/**
 * A command, path or address in a line, as it runs: with marks, with all its spaces, and in its order. What is too long
 * for a line ends with "…".
 */
export function Exact({ text }: { text: string }) {
  return (
    <bdi className={styles.exact} dir="ltr">
      <InOrder text={shortened(showUnseenInLine(text), LONGEST_LINE)} />
    </bdi>
  );
}

/** A text whose words stand in their order from left to right, whatever letters they are written with. */
export function InOrder({ text }: { text: string }) {
  return byDirection(text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no name, and none moves
    index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part,
  );
}
