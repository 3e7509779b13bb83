import { useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { TryNow } from './try-now.tsx';

const TRIED = 'baton.loaded-again';
/** A page that was loaded again so lately is not loaded again for the same reason. */
const LATELY_MS = 20_000;

/**
 * In the place of a part of the page that could not be loaded. Browsers try that only once, and a daemon that was
 * updated has other parts: either way a new page helps.
 */
export function NotLoaded() {
  const { isUp } = useDaemon();
  const [isTried] = useState(wasTriedLately);
  useEffect(() => {
    if (isUp && !isTried) loadAgain();
  }, [isUp, isTried]);
  if (!isUp) {
    return (
      <Empty
        icon="warning"
        title="This cannot be shown while the daemon is away"
        actions={<TryNow />}
      >
        It comes by itself when the daemon is back. Nothing of your work is lost.
      </Empty>
    );
  }
  if (!isTried) return null;
  return (
    <Empty
      icon="warning"
      title="This part of the page cannot be loaded"
      actions={
        <Button look="primary" icon="retry" onClick={loadAgain}>
          Load the page again
        </Button>
      }
    >
      The daemon answers, but does not give it. Nothing of your work is lost.
    </Empty>
  );
}

function wasTriedLately(): boolean {
  return Date.now() - Number(sessionStorage.getItem(TRIED)) < LATELY_MS;
}

function loadAgain(): void {
  sessionStorage.setItem(TRIED, `${Date.now()}`);
  location.reload();
}
