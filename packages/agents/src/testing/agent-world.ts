import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AgentEnvironmentOptions,
  type AgentName,
  agentEnvironment,
} from '../../../../testbed/agents.ts';
import type { FakeModel } from '../../../../testbed/fake-model/index.ts';
import type { World } from '../../../agent-tools/src/conformance/index.ts';

export type AgentWorld = World & { home: string; options: { env: Record<string, string> } };

/** Makes a folder, a home and an environment for a pinned agent, which asks the fake model once. */
export async function agentWorld(
  agent: AgentName,
  model: FakeModel,
  options: AgentEnvironmentOptions = {},
): Promise<AgentWorld> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `${agent}-world-`)));
  const cwd = join(folder, 'workspace');
  const home = join(folder, 'home');
  await mkdir(cwd);
  const env = await agentEnvironment(agent, model, home, { retries: 0, ...options });
  return {
    cwd,
    home,
    options: { env: { ...NO_CREDENTIALS, ...env } },
    later: (minutes) => ({
      NODE_OPTIONS: `--import=${CLOCK_AHEAD}`,
      BATON_TEST_MINUTES_AHEAD: String(minutes),
    }),
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const CLOCK_AHEAD = pathToFileURL(join(import.meta.dirname, 'clock-ahead.mjs'));

/** Keys of the person who runs the tests must not reach the fake model. */
const NO_CREDENTIALS = {
  ANTHROPIC_AUTH_TOKEN: '',
  CLAUDE_CODE_OAUTH_TOKEN: '',
  OPENAI_API_KEY: '',
  CODEX_API_KEY: '',
};
