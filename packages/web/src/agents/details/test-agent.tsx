import type { BackendRecord } from '@baton/client';
import type { Probe } from '@baton/protocol';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';

/** Result and duration of a test. */
export type Tested = { probe: Probe; tookMs: number };

/** The button that tests an agent. */
export function TestAgent({
  backend,
  onTested,
}: {
  backend: BackendRecord;
  onTested: (tested: Tested) => void;
}) {
  const { client } = useDaemon();
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    await attempt(async () => {
      const began = performance.now();
      const probe = await client.backends.test(backend.id);
      onTested({ probe, tookMs: performance.now() - began });
      makeStale('backends');
    });
    setBusy(false);
  };
  return (
    <Button icon="play" busy={busy} onClick={test}>
      {busy ? 'Testing' : 'Test'}
    </Button>
  );
}
