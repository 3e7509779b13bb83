import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentEnvironmentOptions, temporaryFolder } from './agents/agent.ts';
import { claude } from './agents/claude.ts';
import { codex, codexSdk } from './agents/codex.ts';
import { droid } from './agents/droid.ts';
import { gemini } from './agents/gemini.ts';
import { opencode } from './agents/opencode.ts';
import { pi } from './agents/pi.ts';

export type { AgentEnvironmentOptions } from './agents/agent.ts';

/** The agents of the testbed. */
export const AGENTS = { claude, codex, 'codex-sdk': codexSdk, gemini, opencode, droid, pi };
export type AgentName = keyof typeof AGENTS;
export const AGENT_NAMES = Object.keys(AGENTS) as AgentName[];

/** Agents that Baton connects to; they have files of their own and no program that Baton starts. */
export const GATEWAY_NAMES = ['openclaw'] as const;

type Programs = { [Name in AgentName]: ReturnType<(typeof AGENTS)[Name]['programsIn']> };

/** The program files of the agents in a folder `node_modules`. */
export function agentProgramsIn(modules: string): Programs {
  const programs = Object.entries(AGENTS).map(([name, agent]) => [name, agent.programsIn(modules)]);
  return Object.fromEntries(programs) as Programs;
}

/** Folder of the agents under test: the pinned ones, unless BATON_AGENT_MODULES names other releases. */
export const agentModules =
  process.env.BATON_AGENT_MODULES ?? fileURLToPath(new URL('node_modules', import.meta.url));

/** The program files of the agents under test. */
export const agentPrograms = agentProgramsIn(agentModules);

/** Reads the release of an agent under test. */
export function agentVersion(agent: AgentName): string {
  const manifest = readFileSync(
    join(agentModules, AGENTS[agent].npmPackage, 'package.json'),
    'utf8',
  );
  return JSON.parse(manifest).version;
}

/** Prepares an isolated home for an agent and returns the variables that lead it to the fake model. */
export async function agentEnvironment(
  agent: AgentName,
  model: { url: string },
  home: string,
  options: AgentEnvironmentOptions = {},
): Promise<Record<string, string>> {
  await mkdir(temporaryFolder(home), { recursive: true });
  return AGENTS[agent].environment(model, home, options);
}
