import type { BackendRecord } from '@baton/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { Answered } from '../../data/answered.tsx';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { PageFrame } from '../../design/page-frame.tsx';
import { tell } from '../../design/toasts.tsx';
import { useTitle } from '../../shell/attention.ts';
import { READINESS, readinessOf } from '../readiness.ts';
import { AgentFacts } from './agent-facts.tsx';
import { DefaultOptions } from './default-options.tsx';

/** One agent: how it was found, and what it is given with every task. */
export function AgentDetails({ id }: { id: string }) {
  const query = useRecords(['backends', id], (client) => client.backends.get(id));
  useTitle(query.data?.label ?? 'Agent');
  return (
    <PageFrame
      title={query.data?.label ?? id}
      about={<Link href="/agents">All agents</Link>}
      actions={query.data && <Test backend={query.data} />}
    >
      <Answered query={query}>
        {(backend) => (
          <>
            <AgentFacts backend={backend} />
            <DefaultOptions backend={backend} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

function Test({ backend }: { backend: BackendRecord }) {
  const { client } = useDaemon();
  const mayTest = useMay('member');
  const [busy, setBusy] = useState(false);
  const { label, tone } = READINESS[readinessOf(backend)];
  const test = async () => {
    setBusy(true);
    await attempt(async () => {
      const probe = await client.backends.test(backend.id);
      makeStale('backends');
      const { label: words, tone: found } = READINESS[readinessOf({ probe })];
      tell(`${backend.label}: ${words}.`, {
        tone: found === 'good' ? 'good' : 'bad',
        hint: probe.problems[0]?.hint,
      });
    });
    setBusy(false);
  };
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {mayTest && (
        <Button icon="play" busy={busy} onClick={test}>
          {busy ? 'Testing' : 'Test'}
        </Button>
      )}
    </>
  );
}
