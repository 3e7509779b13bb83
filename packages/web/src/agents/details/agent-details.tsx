import type { BackendRecord } from '@baton/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../data/daemon.tsx';
import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { Badge } from '../../design/badge.tsx';
import { PageFrame } from '../../design/page-frame.tsx';
import { useTitle } from '../../shell/attention.ts';
import { READINESS, readinessOf } from '../list/readiness.ts';
import { AgentFacts } from './agent-facts.tsx';
import { DefaultOptions } from './default-options.tsx';
import { TestAgent, type Tested } from './test-agent.tsx';

/** One agent: how it was found, and what it is given with every task. */
export function AgentDetails({ id }: { id: string }) {
  const query = useRecords(['backends', id], (client) => client.backends.get(id));
  const mayTest = useMay('member');
  const [tested, setTested] = useState<Tested>();
  useTitle(query.data?.label ?? 'Agent');
  return (
    <PageFrame
      title={query.data?.label ?? id}
      about={<Link href="/agents">All agents</Link>}
      actions={
        query.data && (
          <>
            <Ready backend={query.data} />
            {mayTest && <TestAgent backend={query.data} onTested={setTested} />}
          </>
        )
      }
    >
      <QueryResult query={query}>
        {(backend) => (
          <>
            <AgentFacts
              backend={backend}
              tested={tested?.probe.backend === backend.id ? tested : undefined}
            />
            <DefaultOptions backend={backend} />
          </>
        )}
      </QueryResult>
    </PageFrame>
  );
}

function Ready({ backend }: { backend: BackendRecord }) {
  const { label, tone } = READINESS[readinessOf(backend)];
  return <Badge tone={tone}>{label}</Badge>;
}
