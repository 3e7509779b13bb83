import type { BackendRecord } from '@baton/client';
import { useMay } from '../../data/daemon.tsx';
import { Badge } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { MODE_NAMES } from '../../text/mode-names.ts';
import { duration } from '../../text/time.ts';
import { READINESS, readinessOf } from '../list/readiness.ts';
import { WhatToDo } from '../list/what-to-do.tsx';
import { foundFacts } from './found-facts.ts';
import type { Tested } from './test-agent.tsx';

type Props = { backend: BackendRecord; tested: Tested | undefined };

/** Installation and capabilities of an agent, as detected on the daemon's machine or by the latest test. */
export function AgentFacts({ backend, tested }: Props) {
  const { id, aliases, capabilities, models } = backend;
  const { probe } = tested ?? backend;
  const mayTest = useMay('member');
  return (
    <Section title="Detected">
      <Card>
        <div role="status">
          <Facts
            facts={[
              // Its line is there before, so that nothing jumps.
              ['Test', mayTest && <Outcome key="test" tested={tested} />],
              ['Name', <code key="id">{[id, ...aliases].join(', ')}</code>],
              ...foundFacts(probe),
              [
                'Permission modes',
                capabilities.permissionModes.map((mode) => MODE_NAMES[mode]).join(', '),
              ],
              ['Transports', capabilities.transports.join(', ')],
              [
                'Stop',
                capabilities.stop === 'verified'
                  ? 'verified: no process left behind'
                  : 'best effort',
              ],
              ['Models', models.map(({ id: model }) => model).join(', ')],
            ]}
          />
          <WhatToDo backend={{ ...backend, probe }} />
        </div>
      </Card>
    </Section>
  );
}

function Outcome({ tested }: Pick<Props, 'tested'>) {
  if (!tested) return <Badge>not tested</Badge>;
  const { probe, tookMs } = tested;
  const { label, tone } = READINESS[readinessOf({ probe })];
  return (
    <>
      <Badge tone={tone}>{label}</Badge> Took {duration(tookMs)}.
    </>
  );
}
