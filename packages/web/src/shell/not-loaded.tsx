import { useEffect, useRef } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';

/** In the place of a part of the page that could not be loaded; browsers try that only once, so the page begins anew. */
export function NotLoaded() {
  const { client, isUp } = useDaemon();
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
      actions={
        <Button icon="retry" onClick={() => client.connection.reconnect()}>
          Try now
        </Button>
      }
    >
      It comes by itself when the daemon is back. Nothing of your work is lost.
    </Empty>
  );
}
