import { useEffect, useRef } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { TryNow } from './try-now.tsx';

/** In the place of a part of the page that could not be loaded; browsers try that only once, so the page begins anew. */
export function NotLoaded() {
  const { isUp } = useDaemon();
  const wasAway = useRef(false);
  useEffect(() => {
    if (!isUp) wasAway.current = true;
    else if (wasAway.current) location.reload();
  }, [isUp]);
  if (isUp) {
    return (
      <Empty
        icon="warning"
        title="This page is old"
        actions={
          <Button look="primary" icon="retry" onClick={() => location.reload()}>
            Load the page again
          </Button>
        }
      >
        The daemon was probably updated, and does not have this part of it any more. Nothing of your
        work is lost.
      </Empty>
    );
  }
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
