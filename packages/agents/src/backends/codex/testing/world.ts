import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEnvironmentOptions, agentPrograms } from '../../../../../../testbed/agents.ts';
import type { FakeModel } from '../../../../../../testbed/fake-model/index.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { codexBackend } from '../../../testing/built-in-backends.ts';

/** The backend with the pinned Codex. */
export const pinnedCodex = codexBackend({ binary: agentPrograms.codex.native });

/** A separate folder and home for the pinned Codex. */
export type CodexWorld = AgentWorld & {
  /** The content of the config.toml of this world. */
  config(): string;
};

/** Makes a world for the pinned Codex, in a git repository when that is wanted. */
export async function codexWorld(
  model: FakeModel,
  { git, ...options }: AgentEnvironmentOptions & { git?: boolean } = {},
): Promise<CodexWorld> {
  const world = await agentWorld('codex', model, options);
  if (git) execFileSync('git', ['init', '--quiet'], { cwd: world.cwd });
  return { ...world, config: () => readFileSync(join(world.home, '.codex/config.toml'), 'utf8') };
}
