import type { BackendRecord } from '@baton/client';
import { Link } from 'wouter';
import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { Badge } from '../../design/badge.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { some } from '../../text/amounts.ts';
import { CapabilityMatrix } from '../matrix/capability-matrix.tsx';
import { READINESS, readinessOf } from './readiness.ts';
import { RefreshButton } from './refresh-button.tsx';
import { WhatToDo } from './what-to-do.tsx';

/** All agents, installed or not. */
export function AgentList() {
  const query = useRecords(['backends'], (client) => client.backends.find(), { onReturn: true });
  return (
    <QueryResult query={query} lines={6}>
      {(backends) => (
        <>
          <Section
            title="On this machine"
            about="Detected by the daemon."
            actions={<RefreshButton backends={backends} />}
          >
            <Rows label="Agents">
              {backends.map((backend) => (
                <Agent key={backend.id} backend={backend} />
              ))}
            </Rows>
          </Section>
          <CapabilityMatrix backends={backends} />
        </>
      )}
    </QueryResult>
  );
}

function Agent({ backend }: { backend: BackendRecord }) {
  const { id, label, probe, models } = backend;
  const { label: words, tone } = READINESS[readinessOf(backend)];
  return (
    <Row
      title={<Link href={`/agents/${id}`}>{label}</Link>}
      badges={<Badge tone={tone}>{words}</Badge>}
      facts={[
        <code key="id">{id}</code>,
        probe.version && `version ${probe.version}`,
        probe.credentials === 'not_needed' && 'needs no key',
        probe.credentialSource && `key from ${probe.credentialSource}`,
        models.length > 0 && some(models.length, 'model'),
      ]}
      actions={
        <ButtonLink small href={`/agents/${id}`} label={`Options for ${label}`}>
          Options
        </ButtonLink>
      }
    >
      <WhatToDo backend={backend} />
    </Row>
  );
}
