import { loadBackend } from '@baton/agents/registry/default-baton';
import { describe, expect, test } from 'vitest';
import type { TestbedAgent } from '../../testbed/agents/agent.ts';
import { AGENT_NAMES, AGENTS } from '../../testbed/agents.ts';
import { scenariosFor } from './scenarios.ts';

describe.each(AGENT_NAMES)('%s', (agent) => {
  test('accepts the options of its scenarios', async () => {
    const { runOptions }: TestbedAgent = AGENTS[agent];
    const backend = await loadBackend(agent);
    for (const { options } of scenariosFor(backend)) {
      const conversation = await backend.open({ ...runOptions, ...options });
      await conversation.close();
    }
  });
});

test('omits print for an agent without that transport', async () => {
  const names = scenariosFor(await loadBackend('pi')).map(({ name }) => name);
  expect(names).toContain('plain');
  expect(names).not.toContain('print');
});
