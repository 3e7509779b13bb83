import { showUnseenInLine } from '@baton/protocol';
import { LiteralText } from './literal-text.tsx';
import { LongText } from './long-text.tsx';
import styles from './untruncated.module.css';

/** Longer text goes into a scrollable block: browsers are slow to lay out such a line. */
const MAX_LINE_LENGTH = 1000;

/** A path or command that a person decides on: shown in full, with invisible characters marked. */
export function Untruncated({ text }: { text: string }) {
  const shown = showUnseenInLine(text);
  if (shown.length <= MAX_LINE_LENGTH) return <LiteralText text={text} />;
  return (
    <div className={styles.long}>
      <LongText text={shown} />
    </div>
  );
}
