import type { BackendRecord } from '@baton/client';
import type { ReactNode } from 'react';
import { Card, Section } from '../../design/page-frame.tsx';
import { WhatToDo } from '../list/what-to-do.tsx';
import styles from './agent-facts.module.css';

const CREDENTIALS = {
  found: 'found',
  missing: 'none found',
  unknown: 'only the agent knows',
  not_needed: 'not needed',
} as const;

/** How an agent was found on the machine of the daemon. */
export function AgentFacts({ backend }: { backend: BackendRecord }) {
  const { id, aliases, probe, capabilities, models } = backend;
  const facts: [name: string, value: ReactNode][] = [
    ['Name', <code key="id">{[id, ...aliases].join(', ')}</code>],
    ['Version', probe.version],
    ['Program', probe.path && <code key="path">{probe.path}</code>],
    ['Key', CREDENTIALS[probe.credentials] + source(probe.credentialSource)],
    ['Permission modes', capabilities.permissionModes.join(', ')],
    ['Ways to talk to it', capabilities.transports.join(', ')],
    ['Stop', capabilities.stop === 'verified' ? 'nothing survives it' : 'as far as the agent can'],
    ['Models', models.length > 0 && models.map(({ id: model }) => model).join(', ')],
  ];
  return (
    <Section title="As it was found">
      <Card>
        <dl className={styles.facts}>
          {facts
            .filter(([, value]) => value)
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
        <WhatToDo backend={backend} />
      </Card>
    </Section>
  );
}

function source(from: string | undefined): string {
  return from ? `, from ${from}` : '';
}
