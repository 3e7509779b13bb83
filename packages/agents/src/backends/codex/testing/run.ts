import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRun, OpenOptions, RunInput } from '@baton/engine/definition/backend';
import type { AgentEvent } from '@baton/protocol';
import type { FakeModel, Step } from '../../../../../../testbed/fake-model/index.ts';
import { type Finished, finish } from '../../../../../agent-tools/src/conformance/stage/stage.ts';
import { scripted } from '../../../testing/model-script.ts';
import { type CodexWorld, codexWorld, pinnedCodex } from './world.ts';

type WorldOptions = Parameters<typeof codexWorld>[1];

/** Actions of a test with the pinned Codex in its own world. */
export type Bench = {
  world: CodexWorld;
  /** Starts a prompt that makes the model do some steps; nothing is asked unless the options say otherwise. */
  start(steps: readonly Step[], options?: Partial<RunInput>): AgentRun;
  /** The same, to its end. */
  run(steps: readonly Step[], options?: RunOptions): Promise<Finished>;
  options(more?: Partial<OpenOptions>): OpenOptions;
  prompt(steps: readonly Step[]): string;
  has(file: string): boolean;
  read(file: string): string;
};

type RunOptions = Partial<RunInput> & { onEvent?: (event: AgentEvent, run: AgentRun) => unknown };

/** Sets up a world, lets a test play in it, and takes it down. */
export async function withCodex(
  model: FakeModel,
  act: (bench: Bench) => Promise<void>,
  worldOptions?: WorldOptions,
): Promise<void> {
  const world = await codexWorld(model, worldOptions);
  const prompt = (steps: readonly Step[]) => scripted(model, steps);
  const options = (more: Partial<OpenOptions> = {}): OpenOptions => ({
    permissionMode: 'allow-all',
    cwd: world.cwd,
    ...more,
    env: { ...world.options.env, ...more.env },
  });
  const start: Bench['start'] = (steps, { prompt: given, ...more } = {}) =>
    pinnedCodex.run({ ...options(more), prompt: given ?? prompt(steps) });
  try {
    await act({
      world,
      options,
      prompt,
      start,
      run: (steps, { onEvent, ...more } = {}) => {
        const run = start(steps, more);
        return finish(run, (event) => onEvent?.(event, run));
      },
      has: (file) => existsSync(join(world.cwd, file)),
      read: (file) => readFileSync(join(world.cwd, file), 'utf8'),
    });
  } finally {
    await world.dispose();
  }
}

/** Returns the last request to the model for a prompt, as text to search. */
export function lastRequest(model: FakeModel, prompt: string): string {
  const key = /\[\[(.*?)\]\]/.exec(prompt)?.[1];
  return JSON.stringify(model.requests.findLast((request) => request.key === key)?.body ?? '');
}
