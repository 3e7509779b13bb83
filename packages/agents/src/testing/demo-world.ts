import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AgentRun,
  Backend,
  Conversation,
  OpenOptions,
} from '@baton/engine/definition/backend';
import { emulated } from '@baton/engine/kit/capabilities';
import { defineBackend } from '@baton/engine/run/define-backend';
import { brokenPromises } from '@baton/engine/run/event-promises';
import type { AgentEvent, EventOf, EventType, RunResult } from '@baton/protocol';
import { afterAll, expect } from 'vitest';
import {
  all,
  assertNothingSurvives,
  finish,
  first,
} from '../../../agent-tools/src/conformance/stage/stage.ts';
import { demoAdapter } from '../backends/demo/backend.ts';
import { demoEntry } from '../backends/demo/index.ts';
import type { DemoStep } from '../backends/demo/steps.ts';
import { demoBackend } from './built-in-backends.ts';

export { all, assertNothingSurvives, finish, first };

const OPEN: Conversation[] = [];

/** Puts everything temporary of a file of tests into one folder, and cleans up when all of them are over. */
export function keepDemoWorlds(): void {
  const { TMPDIR } = process.env;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'demo-worlds-')));
  process.env.TMPDIR = folder;
  // At the end of the file and not of the test, because tests run side by side.
  afterAll(async () => {
    await Promise.all(OPEN.splice(0).map((conversation) => conversation.close()));
    rmSync(folder, { recursive: true, force: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
}

/** A folder, and the demo agent at work in it, for one test. */
type DemoWorld = {
  cwd: string;
  backend: Backend;
  /** Starts a run of some steps, or of a prompt. */
  start(what: readonly DemoStep[] | string, options?: OpenOptions): AgentRun;
  /** Opens a conversation that is closed in the end. */
  open(options?: OpenOptions): Promise<Conversation>;
};

/** The prompt that makes the demo agent do some steps. */
export function steps(...list: readonly DemoStep[]): string {
  return `demo:script ${JSON.stringify(list)}`;
}

/**
 * The demo agent with a minute for each step of a stop, for tests in which it must end by itself: on a busy machine the
 * usual 400 ms are not enough.
 */
export const patientDemo = defineBackend({
  ...demoEntry,
  ...demoAdapter,
  drivers: demoAdapter.drivers.map((driver) => ({
    ...driver,
    stop: { ...driver.stop, interruptMs: 60_000, closeMs: 60_000, signalMs: 60_000 },
  })),
});

/** The demo agent as one that has no place for a system prompt. */
export const promptOnlyDemo = defineBackend({
  ...demoEntry,
  ...demoAdapter,
  capabilities: {
    ...demoEntry.capabilities,
    options: {
      ...demoEntry.capabilities.options,
      systemPrompt: emulated('prepended to the first prompt'),
    },
  },
});

/** Makes a world; with a shell script, that program takes the place of the demo agent. */
export function demoWorld(script?: string, newBackend = demoBackend): DemoWorld {
  const cwd = temporaryFolder();
  const backend =
    script === undefined ? newBackend() : newBackend({ binary: program(cwd, script) });
  const withDefaults = (options: OpenOptions = {}): OpenOptions => ({
    cwd,
    providerOptions: { pace: 0 },
    ...options,
    // The demo agent keeps its sessions at home.
    env: { HOME: tmpdir(), ...options.env },
  });
  return {
    cwd,
    backend,
    start: (what, options) => {
      const prompt = typeof what === 'string' ? what : steps(...what);
      return backend.run({ ...withDefaults(options), prompt });
    },
    open: async (options) => {
      const conversation = await backend.open(withDefaults(options));
      OPEN.push(conversation);
      return conversation;
    },
  };
}

/** A folder that is removed in the end. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'world-'));
}

/** A shell script as an executable file. */
export function program(folder: string, script: string): string {
  const path = join(folder, 'program.sh');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A line of the demo agent, for scripts that play it. */
export function demoLine(line: object): string {
  return `echo '${JSON.stringify(line)}'`;
}

/** Reads a run of a conversation, whose agent stays, to its end. */
export async function readAll(run: AgentRun, onEvent?: (event: AgentEvent) => void) {
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    onEvent?.(event);
  }
  expect(brokenPromises(events)).toEqual([]);
  return { events, result: await run.result };
}

/** Waits for the first event of a type and reads on. */
export async function upTo<Type extends EventType>(
  run: AgentRun,
  type: Type,
): Promise<{ event: EventOf<Type>; rest: Promise<{ events: AgentEvent[]; result: RunResult }> }> {
  const found = Promise.withResolvers<EventOf<Type>>();
  const rest = readAll(run, (event) => {
    if (event.type === type) found.resolve(event as EventOf<Type>);
  });
  rest.catch(found.reject);
  return { event: await found.promise, rest };
}
