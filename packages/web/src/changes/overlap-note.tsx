import type { Overlap } from '@baton/client';
import { showUnseenInText } from '@baton/protocol';
import { Link } from 'wouter';
import { LiteralText } from '../design/literal-text.tsx';
import styles from './overlap-note.module.css';

/** Number of files that are named. */
const MOST_FILES = 3;

/** Warns that other running sessions of the repository change the same files. */
export function OverlapNote({ overlaps }: { overlaps: readonly Overlap[] }) {
  return overlaps.map(({ session_id, title, paths }) => (
    <p key={session_id} className={styles.note}>
      Also changed by{' '}
      <Link href={`/sessions/${session_id}`}>
        “<bdi>{showUnseenInText(title)}</bdi>”
      </Link>
      : <LiteralText text={paths.slice(0, MOST_FILES).join(', ')} />
      {paths.length > MOST_FILES && ` and ${paths.length - MOST_FILES} more`}
    </p>
  ));
}
