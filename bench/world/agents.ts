import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentName, agentEnvironment, agentPrograms } from '../../testbed/agents.ts';
import { scratchFolder } from './leave-nothing.ts';
import { fakeModel } from './model.ts';

/** Keys of the person who measures must not reach the fake model. */
const NO_CREDENTIALS = {
  ANTHROPIC_AUTH_TOKEN: '',
  CLAUDE_CODE_OAUTH_TOKEN: '',
  OPENAI_API_KEY: '',
  CODEX_API_KEY: '',
};

/** A real agent with the fake model behind it, in a home and a folder of its own. */
export type AgentWorld = {
  agent: AgentName;
  binary: string;
  cwd: string;
  env: Record<string, string>;
};

/** Makes a world for one of the pinned agents. */
export async function agentWorld(agent: AgentName): Promise<AgentWorld> {
  const folder = scratchFolder();
  const cwd = join(folder, 'workspace');
  mkdirSync(cwd);
  const env = await agentEnvironment(agent, await fakeModel(), join(folder, 'home'), {
    retries: 0,
    sandbox: true,
  });
  const { native: binary } = agentPrograms[agent];
  return { agent, binary, cwd, env: { ...NO_CREDENTIALS, ...env } };
}
