import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Conversation, RunInput } from '@baton/engine/definition/backend';
import type { AgentEvent } from '@baton/protocol';
import { afterAll, beforeAll } from 'vitest';
import { agentPrograms } from '../../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../../testbed/install.mjs';
import { type Finished, finish } from '../../../../../agent-tools/src/conformance/stage/stage.ts';
import { agentWorld } from '../../../testing/agent-world.ts';
import { claudeBackend } from '../../../testing/built-in-backends.ts';
import { scripted } from '../../../testing/model-script.ts';

/** The backend with the pinned Claude Code. */
export const pinnedClaude = claudeBackend({ binary: agentPrograms.claude.native });
const ECHO_SERVER = fileURLToPath(
  new URL('../../../../../../testbed/mcp-echo.mjs', import.meta.url),
);

/** An MCP server with one tool, `say`. */
export const ECHO = { command: process.execPath, args: [ECHO_SERVER] };

export const allow = () => ({ decision: 'allow' }) as const;
export const deny = () => ({ decision: 'deny', reason: 'Not today.' }) as const;

/** Turns of the model that call one tool. */
export const shell = (command: string): Step => ({ tools: [{ shell: command }] });
export const write = (path: string): Step => ({ tools: [{ write: { path, content: 'x\n' } }] });
export const read = (path: string): Step => ({ tools: [{ read: path }] });
export const say = (text: string): Step => ({
  tools: [{ mcp: { server: 'echo', tool: 'say', input: { text } } }],
});
export const call = (name: string, input: Record<string, unknown>): Step => ({
  tools: [{ raw: { name, input } }],
});

/**
 * A turn that starts a sub-agent, and continues when that is done; newer releases start it in the background otherwise.
 */
export const delegate = (prompt: string): Step =>
  call('Agent', { description: 'a task', prompt, run_in_background: false });

/** A folder, a home and an environment for one test. */
export type Place = { cwd: string; home: string; env: Record<string, string> };

/** Runs the pinned Claude Code against a fake model; create one per test file. */
export class Playground {
  #model: FakeModel | undefined;
  #disposals: (() => Promise<void>)[] = [];

  constructor() {
    beforeAll(async () => {
      await installAgents();
      this.#model = await startFakeModel();
    }, 300_000);
    afterAll(async () => {
      await Promise.all(this.#disposals.map((dispose) => dispose()));
      await this.#model?.close();
    });
  }

  /** Requests to the model so far, as text. */
  get asked(): string[] {
    return this.model.requests.map(({ body }) => JSON.stringify(body));
  }

  get model(): FakeModel {
    if (!this.#model) throw new Error('The fake model is not there yet');
    return this.#model;
  }

  /** Returns the prompt that makes the model take some turns. */
  prompt(steps: readonly Step[]): string {
    return scripted(this.model, steps);
  }

  async place(retries = 0): Promise<Place> {
    const { cwd, home, options, dispose } = await agentWorld('claude', this.model, { retries });
    this.#disposals.push(dispose);
    return { cwd, home, env: options.env ?? {} };
  }

  /** Runs one prompt that makes the model take some turns, to its end. */
  async run(steps: readonly Step[], more: Partial<RunInput> & { retries?: number } = {}) {
    const { retries, ...options } = more;
    return this.play(await this.place(retries), { prompt: this.prompt(steps), ...options });
  }

  play({ cwd, env }: Place, input: RunInput): Promise<Finished> {
    return finish(pinnedClaude.run({ cwd, env, ...input }));
  }

  /** Keeps a conversation open while a test talks. */
  async converse(
    more: Partial<RunInput>,
    talk: (conversation: Conversation, cwd: string) => Promise<void>,
  ): Promise<void> {
    const { cwd, env } = await this.place();
    const conversation = await pinnedClaude.open({ cwd, env, ...more });
    await talk(conversation, cwd).finally(() => conversation.close());
  }

  /** Runs one prompt of a conversation to its end. */
  async turn(conversation: Conversation, steps: readonly Step[]): Promise<Finished> {
    const run = conversation.run(this.prompt(steps));
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    return { events, result: await run.result };
  }
}

/** Waits until a file is there. */
export async function appears(path: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (existsSync(path)) return;
    await sleep(20);
  }
  throw new Error(`${path} never appeared`);
}

/** Writes a file of the user's own configuration of Claude. */
export async function configure({ home }: Place, name: string, content: object): Promise<void> {
  await mkdir(join(home, '.claude'), { recursive: true });
  await writeFile(join(home, '.claude', name), JSON.stringify(content));
}
