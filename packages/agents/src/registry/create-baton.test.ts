import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { BatonError } from '@baton/protocol';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { demoAdapter } from '../backends/demo/backend.ts';
import { demoEntry } from '../backends/demo/index.ts';
import type { ClaudeOptions } from '../options/backend-options.ts';
import { keepDemoWorlds, temporaryFolder } from '../testing/demo-world.ts';
import { createBaton } from './create-baton.ts';

keepDemoWorlds();

const MINE: BackendEntry = {
  ...demoEntry,
  id: 'mine',
  label: 'Mine',
  aliases: ['my-agent'],
  settingsPaths: ['mine.toml'],
  load: async () => demoAdapter,
};

/** A home with a configuration, and a program in it that can be executed. */
function homeWith(config: (program: string) => object): { home: string; program: string } {
  const home = temporaryFolder();
  const program = join(home, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  mkdirSync(join(home, '.baton'));
  writeFileSync(join(home, '.baton/config.json'), JSON.stringify(config(program)));
  return { home, program };
}

async function refusal(act: () => Promise<unknown>): Promise<BatonError> {
  try {
    await act();
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

/** Opens a conversation, which checks its options and starts nothing. */
async function opened(backend: Backend, permissionMode: 'ask' | 'allow-all'): Promise<void> {
  await (await backend.open({ cwd: temporaryFolder(), permissionMode })).close();
}

describe('a Baton with the settings of the user', () => {
  const configured = () =>
    homeWith((program) => ({
      agents: {
        stoat: {
          label: 'Stoat',
          dialect: 'plain',
          command: [program],
          settingsPaths: ['stoat.toml'],
        },
      },
      acpAgents: { marten: program },
      binaries: { claude: program },
      claimedPermissions: ['acp:marten'],
      protectedPaths: ['deploy'],
    }));

  test('has their agents', async () => {
    const { home } = configured();
    const baton = await createBaton({ home, env: {} });
    expect(baton.problems).toEqual([]);
    expect(baton.backends().map(({ id }) => id)).toEqual(
      expect.arrayContaining(['claude-cli', 'stoat', 'acp:marten']),
    );
    expect((await baton.loadBackend('stoat')).label).toBe('Stoat');
  });

  test('starts the program of binaries, unless the caller names another one', async () => {
    const { home, program } = configured();
    const baton = await createBaton({ home, env: {} });
    const claude = await baton.loadBackend('claude');
    expectTypeOf(claude).toEqualTypeOf<Backend<ClaudeOptions>>();
    expect(await claude.probe()).toMatchObject({ path: program, foundBy: 'binaries' });
    const other = await baton.loadBackend('claude', { binary: process.execPath });
    expect(await other.probe()).toMatchObject({ path: process.execPath });
  });

  test('relies on the agents of claimedPermissions, and on no other', async () => {
    const { home } = configured();
    const baton = await createBaton({ home, env: {} });
    await opened(await baton.loadBackend('acp:marten'), 'ask');
    const goose = await baton.loadBackend('acp:goose');
    expect((await refusal(() => opened(goose, 'ask'))).code).toBe('capability_missing');
  });

  test('protects the settings of their agents, and what they protect', async () => {
    const { home } = configured();
    const baton = await createBaton({ home, env: {} });
    expect(baton.protectedPaths()).toEqual(
      expect.arrayContaining(['opencode.json', 'stoat.toml', 'deploy']),
    );
  });

  test('reads the variables that it is given', async () => {
    const { home, program } = homeWith(() => ({}));
    const baton = await createBaton({ home, env: { BATON_BINARIES: `claude=${program}` } });
    expect(await (await baton.loadBackend('claude')).probe()).toMatchObject({ path: program });
  });

  test('is not created if the configuration cannot be read', async () => {
    const { home } = homeWith(() => ({ binaries: 7 }));
    expect((await refusal(() => createBaton({ home, env: {} }))).code).toBe('config_invalid');
  });

  test('lists a broken agent as a problem, and refuses its name', async () => {
    const { home } = homeWith(() => ({
      agents: { claude: { command: 'x' }, stoat: { comand: 1 } },
    }));
    const baton = await createBaton({ home, env: {} });
    expect(baton.problems.length).toBe(2);
    for (const name of ['claude', 'stoat']) {
      expect((await refusal(() => baton.loadBackend(name))).code).toBe('config_invalid');
    }
    const { id } = await baton.load(baton.backend('claude'));
    expect(id).toBe('claude-cli');
  });

  test("prefers the program's own backend to one of the same name", async () => {
    const { home } = homeWith((program) => ({
      agents: { mine: { dialect: 'plain', command: [program] } },
    }));
    const baton = await createBaton({ home, env: {}, backends: [MINE] });
    expect((await baton.loadBackend('mine')).label).toBe('Mine');
    expect(baton.problems.length).toBe(1);
  });
});

describe('a Baton without the settings of the user', () => {
  test('has the built-in agents only', async () => {
    const { home } = homeWith((program) => ({
      agents: { stoat: { command: [program] } },
      binaries: { claude: program },
    }));
    const baton = await createBaton({ settings: 'none', home });
    expect((await refusal(() => baton.loadBackend('stoat'))).code).toBe('backend_unknown');
    const { path } = await (await baton.loadBackend('claude')).probe();
    expect(path).not.toBe(join(home, 'program'));
  });

  test('takes settings from the program alone', async () => {
    const { home, program } = homeWith(() => ({ agents: { stoat: { command: ['x'] } } }));
    const agents = { own: { label: 'Own', dialect: 'plain', command: [program] } };
    const settings = { agents, claimedPermissions: ['acp:goose'] };
    const baton = await createBaton({ settings, home, env: { BATON_BINARIES: 'claude=/x' } });
    expect((await baton.loadBackend('own')).label).toBe('Own');
    await opened(await baton.loadBackend('acp:goose'), 'ask');
    expect((await refusal(() => baton.loadBackend('stoat'))).code).toBe('backend_unknown');
    expect(baton.givenBinary('claude')).toBeUndefined();
  });

  test('refuses a setting that it does not know', async () => {
    const settings = { binarys: {} } as object;
    expect((await refusal(() => createBaton({ settings }))).message).toContain('binarys');
  });
});

test('two Batons do not see the backends and the protected paths of each other', async () => {
  const one = await createBaton({ settings: 'none', backends: [MINE] });
  const other = await createBaton({ settings: 'none' });
  expect(one.backend('my-agent')).toBe(MINE);
  expect((await refusal(() => other.loadBackend('mine'))).code).toBe('backend_unknown');
  expect(one.protectedPaths()).toContain('mine.toml');
  expect(other.protectedPaths()).not.toContain('mine.toml');
  other.register({ ...MINE, label: 'Another' });
  expect((await other.loadBackend('mine')).label).toBe('Another');
  expect((await one.loadBackend('mine')).label).toBe('Mine');
});
