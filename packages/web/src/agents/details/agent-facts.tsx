import type { BackendRecord } from '@baton/client';
import { Facts } from '../../design/facts.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { WhatToDo } from '../list/what-to-do.tsx';
import { foundFacts } from './found-facts.ts';

/** How an agent was found on the machine of the daemon. */
export function AgentFacts({ backend }: { backend: BackendRecord }) {
  const { id, aliases, probe, capabilities, models } = backend;
  return (
    <Section title="As it was found">
      <Card>
        <Facts
          facts={[
            ['Name', <code key="id">{[id, ...aliases].join(', ')}</code>],
            ...foundFacts(probe),
            ['Permission modes', capabilities.permissionModes.join(', ')],
            ['Ways to talk to it', capabilities.transports.join(', ')],
            [
              'Stop',
              capabilities.stop === 'verified' ? 'nothing survives it' : 'as far as the agent can',
            ],
            ['Models', models.map(({ id: model }) => model).join(', ')],
          ]}
        />
        <WhatToDo backend={backend} />
      </Card>
    </Section>
  );
}
