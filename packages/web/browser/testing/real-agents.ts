import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type AgentName, agentEnvironment, agentPrograms } from '../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../testbed/install.mjs';
import { type ServedPage, servePage } from './served-page.ts';

/** Installs the real agents, and starts one model for all tests of a file. */
export function shareModel(): () => FakeModel {
  let model: FakeModel | undefined;
  beforeAll(async () => {
    await installAgents();
    model = await startFakeModel();
  }, 300_000);
  afterAll(() => model?.close());
  return () => {
    if (!model) throw new Error('The model is started when the first test begins.');
    return model;
  };
}

/** Serves a page whose daemon finds some agents, for one test. */
export async function withRealAgents(
  model: FakeModel,
  agents: readonly AgentName[],
  { sandbox = false }: { sandbox?: boolean } = {},
): Promise<ServedPage> {
  const home = realpathSync(await mkdtemp(join(tmpdir(), 'baton-page-agents-')));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const environments = await Promise.all(
    agents.map(async (agent) => ({
      ...(await agentEnvironment(agent, model, home, { retries: 0, sandbox })),
      [`BATON_${agent.toUpperCase()}_BIN`]: agentPrograms[agent].native,
    })),
  );
  return servePage({ env: Object.assign({}, ...environments) });
}
