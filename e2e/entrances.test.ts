import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliWorld, type Finished } from '../packages/cli/src/testing/baton.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import { script } from './run-contract.ts';

type Run = { backend: string; prompt: string; mode?: 'ask' | 'allow-all' | undefined };
type Entrance = {
  start(world: CliWorld, run: Run, place: Place): ReturnType<CliWorld['start']>;
  /** Standard input of the program. */
  input?(run: Run): string;
  /** False if it can only run agents itself. */
  hasRemote?: false;
  /** False if its own runs in the mode `allow-all` are limited to some agents. */
  allowsAll?: false;
};
/** Arguments and variables that lead a program to the daemon; both empty without one. */
type Place = { args: readonly string[]; env: Readonly<Record<string, string>> };

/** Keys of others, which the agent may not see, and its own. */
const KEYS = {
  OPENAI_API_KEY: 'planted-openai',
  ANTHROPIC_API_KEY: 'planted-anthropic',
  PROBE_KEY: 'mine',
};
/** An agent of the user. It prints its own key, and the number of foreign keys that it got. */
const PROBE =
  '#!/bin/sh\ncat > /dev/null\necho "own: $PROBE_KEY, foreign: $(env | grep -c planted-)"\n';
const COMPILED = `
import { defineAgent } from '@baton/runtime/agent';
export default defineAgent({ name: 'tested', description: 'Does what it is told.' });
`;

let programs: string;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'entrances-'));
  const world = new CliWorld();
  writeFileSync(join(world.cwd, 'tested.ts'), COMPILED);
  const output = join(programs, 'tested');
  const made = await world.call({ args: ['compile', 'tested.ts', '-o', output] });
  expect(made).toMatchObject({ code: 0, stderr: '' });
}, 120_000);
afterAll(() => rmSync(programs, { recursive: true, force: true }));

const ENTRANCES: Readonly<Record<string, Entrance>> = {
  'baton run': {
    start: (world, { backend, prompt, mode = 'ask' }, { args, env }) =>
      world.start({ args: ['run', '-b', backend, '-p', mode, ...args, prompt], env }),
  },
  'baton chain run': {
    start(world, { backend, prompt, mode = 'ask' }, { args, env }) {
      const agents = { one: { backend, prompt, permissionMode: mode } };
      const chains = { only: { steps: [{ id: 'step', agent: 'one' }] } };
      writeFileSync(join(world.cwd, 'chains.json'), JSON.stringify({ agents, chains }));
      return world.start({ args: ['chain', 'run', 'only', '--trust', ...args], env });
    },
  },
  'baton gateway': {
    start: (world, { backend, mode = 'ask' }, { args, env }) =>
      world.start({
        args: ['gateway', '--terminal', '-b', backend, '--permission-mode', mode, ...args],
        env,
      }),
    input: ({ prompt }) => `${prompt}\n`,
    allowsAll: false,
  },
  'a compiled agent': {
    start: (world, { backend, prompt, mode = 'ask' }, { env }) =>
      world.spawn(
        process.execPath,
        [join(programs, 'tested'), '--backend', backend, '--permission-mode', mode, prompt],
        env,
      ),
    hasRemote: false,
  },
};
const HERE: Place = { args: [], env: {} };

/** A home with an agent of the user, whose environment has the keys of others. */
function worldWithProbe(): CliWorld {
  const world = new CliWorld();
  const command = join(world.home, 'probe');
  writeFileSync(command, PROBE, { mode: 0o755 });
  const agents = { probe: { command, dialect: 'plain', keyVariables: ['PROBE_KEY'] } };
  writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify({ agents }));
  return world;
}

async function daemonOf(world: CliWorld): Promise<Place> {
  const env = { ...world.env, ...KEYS };
  const served = await serveIn(join(world.home, 'state'), 0, [], env);
  return { args: ['--daemon', served.url], env: { BATON_TOKEN: await login(served) } };
}

const CASES = Object.entries(ENTRANCES).flatMap(([name, entrance]) => [
  { name, place: 'here', entrance },
  ...(entrance.hasRemote === false ? [] : [{ name, place: 'through a daemon', entrance }]),
]);

// Every program takes a Host: it must not matter which one a person uses, or where the agent runs.
describe.each(CASES)('$name, $place', ({ entrance, place }) => {
  async function play(world: CliWorld, run: Run): Promise<Finished> {
    const { args, env } = place === 'here' ? HERE : await daemonOf(world);
    const child = entrance.start(world, run, { args, env: { ...KEYS, ...env } });
    child.stdin.on('error', () => {});
    child.stdin.end(entrance.input?.(run) ?? '');
    return place === 'here' ? world.finish(child) : finished(child);
  }

  test('gives the answer of the agent', async () => {
    const prompt = script({ say: 'Hello from here.' });
    const { code, stdout } = await play(new CliWorld(), { backend: 'demo', prompt });
    expect(stdout).toContain('Hello from here.');
    expect(code).toBe(0);
  });

  test('refuses an agent that nobody knows, with its name', async () => {
    const { code, stdout, stderr } = await play(new CliWorld(), { backend: 'prob', prompt: 'Hi' });
    expect(`${stdout}${stderr}`).toMatch(/"prob"/);
    expect(code).not.toBe(0);
  });

  /** True if a command of the agent was carried out. */
  async function carriesOut(mode: Run['mode']): Promise<boolean> {
    const world = new CliWorld();
    const marker = join(world.cwd, 'marker');
    const prompt = script({ shell: `touch ${marker}` }, { say: 'Over.' });
    await play(world, { backend: 'demo', prompt, mode });
    return existsSync(marker);
  }

  // In a daemon, the request waits for somebody.
  if (place === 'here') {
    test('denies a command that nobody is there to allow', async () => {
      expect(await carriesOut('ask')).toBe(false);
    });
  }

  if (place === 'here' && entrance.allowsAll === false) return;

  test('carries out a command in the mode allow-all', async () => {
    expect(await carriesOut('allow-all')).toBe(true);
  });

  test('knows the agents of the user, and gives them no key of others', async () => {
    const run = { backend: 'probe', prompt: 'Hi', mode: 'allow-all' } as const;
    const { stdout, stderr } = await play(worldWithProbe(), run);
    expect(`${stdout}${stderr}`).toContain('own: mine, foreign: 0');
  });
});

/** The end of a program that leaves a daemon in its world. */
async function finished(child: ReturnType<CliWorld['start']>): Promise<Finished> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
