import { useSyncExternalStore } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { Button } from '../design/button.tsx';
import { useOpen } from './feed/open-session.tsx';
import styles from './transcript.module.css';

/** Above the transcript: that there is more, that it is coming, or why it does not. */
export function Earlier({ isPaused, onMore }: { isPaused: boolean; onMore: () => void }) {
  const { feed } = useOpen();
  const { isLoadingEarlier, earlierError } = useSyncExternalStore(feed.subscribe, feed.state);
  if (isLoadingEarlier) return <p className={styles.earlier}>Loading earlier messages…</p>;
  if (earlierError !== undefined) {
    return (
      <div className={styles.earlier} role="alert">
        <span>Couldn’t load earlier messages. {troubleOf(earlierError).message}</span>
        <Button small onClick={onMore}>
          Retry
        </Button>
      </div>
    );
  }
  if (!isPaused) return null;
  return (
    <div className={styles.more}>
      <Button small look="quiet" onClick={onMore}>
        Load earlier messages
      </Button>
    </div>
  );
}
