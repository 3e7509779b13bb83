import { type ReactNode, useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { hasFiles } from '../data/draft.ts';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { ReconnectButton } from './reconnect-button.tsx';

const TRIED = 'baton.loaded-again';
/** A page that was loaded again so lately is not loaded again for the same reason. */
const LATELY_MS = 20_000;

/**
 * Replaces a view that could not be loaded. Browsers try only once, and an updated daemon has other files: either way a
 * reload helps. It happens automatically if nothing is lost by it.
 */
export function ViewNotLoaded() {
  const { isUp } = useDaemon();
  const [isTried] = useState(wasTriedLately);
  const isLoss = hasFiles();
  const comes = !isTried && !isLoss;
  useEffect(() => {
    if (isUp && comes) loadAgain();
  }, [isUp, comes]);
  if (isUp && comes) return null;
  return (
    <NotLoaded comes={comes}>
      {isLoss ? 'Your draft is kept. Attached files must be re-added.' : 'Your work is safe.'}
    </NotLoaded>
  );
}

/** Replaces a part of a view that could not be loaded: a reload would discard drafts in the rest of the view. */
export function PartNotLoaded() {
  return (
    <NotLoaded>
      Your draft is kept. Attached files and prompt options must be added again after reloading.
    </NotLoaded>
  );
}

function NotLoaded({ comes = false, children }: { comes?: boolean; children: ReactNode }) {
  const { isUp } = useDaemon();
  if (!isUp) {
    return (
      <Empty
        icon="warning"
        title="Can’t load this view while offline"
        actions={<ReconnectButton />}
      >
        {comes
          ? 'It will load when the connection is back.'
          : 'Reload the page when the connection is back.'}{' '}
        {children}
      </Empty>
    );
  }
  return (
    <Empty
      icon="warning"
      title="Couldn’t load this part of the page"
      actions={
        <Button look="primary" icon="retry" onClick={loadAgain}>
          Reload page
        </Button>
      }
    >
      The daemon is reachable but this part failed to load. {children}
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
