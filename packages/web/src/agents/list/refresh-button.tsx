import type { BackendRecord } from '@baton/client';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { readinessOf } from './readiness.ts';

/** Probes the agents again that were not ready; hidden when all are. */
export function RefreshButton({ backends }: { backends: readonly BackendRecord[] }) {
  const { client } = useDaemon();
  const mayLook = useMay('member');
  const [busy, setBusy] = useState(false);
  const lacking = backends.filter((backend) => readinessOf(backend) !== 'ready');
  if (!mayLook || lacking.length === 0) return null;
  const look = async () => {
    setBusy(true);
    await attempt(() => Promise.all(lacking.map(({ id }) => client.backends.test(id))));
    makeStale('backends');
    setBusy(false);
  };
  return (
    <Button small look="quiet" icon="retry" busy={busy} onClick={look}>
      Refresh
    </Button>
  );
}
