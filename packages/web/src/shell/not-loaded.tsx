import { type ReactNode, useEffect, useState } from 'react';
import { hasFiles } from '../composer/draft.ts';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { TryNow } from './try-now.tsx';

const TRIED = 'baton.loaded-again';
/** A page that was loaded again so lately is not loaded again for the same reason. */
const LATELY_MS = 20_000;

/**
 * In the place of a view that could not be loaded. Browsers try that only once, and a daemon that was updated has other
 * parts: either way a new page helps. It comes by itself where nothing is lost by that.
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
      {isLoss
        ? 'What you have written stays. Files that are attached have to be chosen again then.'
        : 'Nothing of your work is lost.'}
    </NotLoaded>
  );
}

/** In the place of a part of a view that could not be loaded: a new page would take along what is begun beside it. */
export function PartNotLoaded() {
  return (
    <NotLoaded>
      What you have written stays. Files that are attached, and options that are chosen for a
      prompt, have to be chosen again then.
    </NotLoaded>
  );
}

function NotLoaded({ comes = false, children }: { comes?: boolean; children: ReactNode }) {
  const { isUp } = useDaemon();
  if (!isUp) {
    return (
      <Empty
        icon="warning"
        title="This cannot be shown while the daemon is away"
        actions={<TryNow />}
      >
        {comes
          ? 'It comes by itself when the daemon is back.'
          : 'When the daemon is back, the page can be loaded again.'}{' '}
        {children}
      </Empty>
    );
  }
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
      The daemon answers, but does not give it. {children}
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
