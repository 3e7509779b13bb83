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
import { claudeBackend } from '../index.ts';

/** The backend with the pinned Claude Code. */
export const pinnedClaude = claudeBackend({ binary: agentPrograms.claude.native });

/** Makes a folder, a home and an environment for the pinned Claude Code, which asks the fake model once. */
export async function claudeWorld(
  model: FakeModel,
  options: AgentEnvironmentOptions = { retries: 0 },
): Promise<World & { home: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'claude-world-')));
  const cwd = join(folder, 'workspace');
  const home = join(folder, 'home');
  await mkdir(cwd);
  const env = await agentEnvironment('claude', model, home, options);
  return {
    cwd,
    home,
    options: { env: { ...NO_CREDENTIALS, ...env } },
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

let keys = 0;

/** Makes the fake model do some steps, and gives the prompt that sets them off. */
export function scripted(model: FakeModel, steps: readonly Step[]): string {
  keys += 1;
  const key = `claude-${keys}`;
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

/** The failures that Claude reports with a code of its own. */
export const CLAUDE_FAILURES: readonly FailureKind[] = [
  'auth',
  'rate_limited',
  'overloaded',
  'server_error',
  'quota',
  'context_too_long',
];

/** Keys of the person who runs the tests must not reach the fake model. */
const NO_CREDENTIALS = { ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' };
