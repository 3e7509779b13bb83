import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentEnvironmentOptions,
  agentEnvironment,
  agentPrograms,
} from '../../../../../../testbed/agents.ts';
import type { FakeModel, Step, ToolCall } from '../../../../../../testbed/fake-model/index.ts';
import type { FailureKind, ScriptStep, World } from '../../../conformance/index.ts';
import { codexBackend } from '../index.ts';

/** The backend with the pinned Codex. */
export const pinnedCodex = codexBackend({ binary: agentPrograms.codex.native });

/** A folder and a home of its own for the pinned Codex. */
export type CodexWorld = World & {
  home: string;
  /** What stands in the config.toml of this world. */
  config(): string;
};

/** Makes a folder, a home and an environment for the pinned Codex, which asks the fake model once. */
export async function codexWorld(
  model: FakeModel,
  options: AgentEnvironmentOptions & { git?: boolean } = {},
): Promise<CodexWorld> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'codex-world-')));
  const cwd = join(folder, 'workspace');
  const home = join(folder, 'home');
  await mkdir(cwd);
  if (options.git) execFileSync('git', ['init', '--quiet'], { cwd });
  const env = await agentEnvironment('codex', model, home, { retries: 0, ...options });
  return {
    cwd,
    home,
    config: () => readFileSync(join(home, '.codex/config.toml'), 'utf8'),
    options: { env: { ...NO_CREDENTIALS, ...env } },
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

let keys = 0;

/** Makes the fake model do some steps, and gives the prompt that sets them off. */
export function scripted(model: FakeModel, steps: readonly Step[]): string {
  keys += 1;
  const key = `codex-${keys}`;
  model.script(key, [...steps]);
  return `[[${key}]] go`;
}

/** Says the steps of the conformance suite in the words of the fake model. */
export function modelSteps(steps: readonly ScriptStep[]): Step[] {
  const turns: Step[] = [];
  let thinking: string | undefined;
  for (const [index, step] of steps.entries()) {
    if ('think' in step) {
      thinking = step.think;
      continue;
    }
    const next = steps[index + 1];
    if ('say' in step && next && 'hang' in next) turns.push({ hang: 'mid-stream' });
    else if ('say' in step) turns.push({ thinking, text: step.say });
    else if ('fail' in step) turns.push({ fault: step.fail });
    else if (!('hang' in step)) turns.push({ tools: [step satisfies ToolCall] });
    else if (turns.length === 0) turns.push({ hang: 'before-headers' });
    thinking = undefined;
  }
  return turns;
}

/** The failures that Codex reports with a code of its own. */
export const CODEX_FAILURES: readonly FailureKind[] = [
  'auth',
  'rate_limited',
  'overloaded',
  'server_error',
  'quota',
  'context_too_long',
];

/** Keys of the person who runs the tests must not reach the fake model. */
const NO_CREDENTIALS = { OPENAI_API_KEY: '', CODEX_API_KEY: '' };
