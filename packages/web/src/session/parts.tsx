import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useChangedCount } from '../changes/use-changes.ts';
import { count } from '../text/amounts.ts';
import { useOpen, useSession } from './feed/open-session.tsx';
import styles from './session-header.module.css';

/** Leads from one part of the session to the other: what happened, and which files that changed. */
export function Parts({ part }: { part: string | undefined }) {
  const { feed } = useOpen();
  const { state } = useSyncExternalStore(feed.subscribe, feed.state);
  const { workspace, changes } = useSession();
  const isReported = workspace === null;
  const reported = useChangedCount(feed.sessionId, {
    isShown: part === 'changes' && isReported,
    isReady: state === 'ready' && isReported,
  });
  const changed = isReported ? reported : (changes?.files ?? 0);
  const here = `/sessions/${feed.sessionId}`;
  return (
    <nav className={styles.parts} aria-label="Session views">
      <Link href={here} aria-current={part ? undefined : 'page'} className={styles.part}>
        Transcript
      </Link>
      <Link
        href={`${here}/changes`}
        aria-current={part === 'changes' ? 'page' : undefined}
        className={styles.part}
      >
        Changes
        {changed > 0 && (
          <>
            {' '}
            <span className={styles.count}>{count(changed)}</span>
            <span className="only-for-readers"> {changed === 1 ? 'file' : 'files'}</span>
          </>
        )}
      </Link>
    </nav>
  );
}
