import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';
import { NpmRegistry, type Release } from '../../testing/npm-registry.ts';

const registries: NpmRegistry[] = [];
afterAll(() => {
  for (const registry of registries) registry.close();
});

/** A home folder, and a registry that has the given releases of the package of Gemini CLI. */
async function stage(...releases: Release[]) {
  const registry = new NpmRegistry('@google/gemini-cli', 'gemini');
  registries.push(registry);
  await registry.listen();
  for (const release of releases) registry.publish(release);
  const world = new CliWorld();
  const env = {
    PATH: process.env.PATH ?? '',
    npm_config_registry: registry.url,
    npm_config_fetch_retries: '0',
  };
  const folder = join(world.home, '.baton/agents');
  return {
    registry,
    world,
    folder,
    backends: (...args: string[]) => world.call({ args: ['backends', ...args], env }),
    start: (...args: string[]) => world.start({ args: ['backends', ...args], env }),
    terminal: (...args: string[]) => world.terminal({ args: ['backends', ...args], env }),
    /** Everything in the folder of agents. */
    files: () => (existsSync(folder) ? readdirSync(folder) : []),
    /** The version in the record, and the one that the program prints. */
    installed: () => JSON.parse(readFileSync(join(folder, 'gemini/installed.json'), 'utf8')),
    probe: async () => {
      const { stdout } = await world.call({ args: ['doctor', '--json'] });
      const { backends } = JSON.parse(stdout) as { backends: { id: string }[] };
      return backends.find(({ id }) => id === 'gemini-cli');
    },
  };
}

const NEEDS_SCRIPT: Release = {
  version: '1.0.0',
  program: '#!/bin/sh\ntest -f "$(dirname "$(readlink -f "$0")")/placed" || exit 1\n',
  postinstall: 'echo placed > placed',
};

describe.concurrent('install', () => {
  test('records the exact version and checksum, and Baton finds the agent', async () => {
    const { backends, installed, probe, files } = await stage(
      { version: '1.0.0' },
      { version: '1.1.0' },
    );
    const { code, stdout } = await backends('install', 'gemini');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Installed gemini 1.1.0')]);
    expect(installed()).toMatchObject({
      package: '@google/gemini-cli',
      version: '1.1.0',
      integrity: expect.stringMatching(/^sha512-/),
      scripts: [],
    });
    expect(await probe()).toMatchObject({
      installed: true,
      version: '1.1.0',
      foundBy: '~/.baton/agents',
    });
    expect(files()).toHaveLength(2);
  });

  test('takes the newest tested release, and names the newer one', async () => {
    const tested = new Registry().entry('gemini').testedVersions?.newest ?? '';
    const releases = [{ version: '0.1.0' }, { version: tested }, { version: '999.0.0' }];
    const { backends, installed } = await stage(...releases);
    const { stdout } = await backends('install', 'gemini');
    expect(stdout).toContain(`Installed gemini ${tested}`);
    expect(stdout).toContain(
      '999.0.0 is newer, but not yet tested with Baton. To use it: baton backends install gemini@999.0.0',
    );
    expect((await backends('update', 'gemini')).stdout).toContain('999.0.0 is newer');
    expect(installed()).toMatchObject({ version: tested });
    const newest = await backends('install', 'gemini@latest', '--json');
    expect(JSON.parse(newest.stdout)).toMatchObject({ version: '999.0.0' });
    // An untested release that a person has chosen stays.
    expect((await backends('update', 'gemini')).stdout).toContain('999.0.0 is already installed');
  });

  test('takes the newest release while it is older than the tested ones', async () => {
    const { backends } = await stage({ version: '0.1.0' }, { version: '0.2.0' });
    const { stdout } = await backends('install', 'gemini');
    expect(stdout).toContain('Installed gemini 0.2.0');
    expect(stdout).not.toContain('not yet tested');
  });

  test('takes a version, and changes nothing when asked again', async () => {
    const { backends, installed } = await stage({ version: '1.0.0' }, { version: '1.1.0' });
    const { stdout } = await backends('install', 'gemini@1.0.0', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ name: 'gemini', version: '1.0.0' });
    const before = installed();
    expect((await backends('install', 'gemini')).stdout).toContain('already installed');
    expect(installed()).toEqual(before);
  });

  test.each([
    [['install', 'nobody'], 'Unknown backend "nobody"'],
    [['install', 'demo'], 'Baton cannot install Demo agent'],
    [['install', 'gemini@../..'], 'neither a version nor a tag'],
    [['install'], 'Expected one NAME'],
    [['fetch', 'gemini'], 'Unknown action "fetch"'],
  ])('%j is a usage error that leaves nothing', async (args, words) => {
    const { backends, files } = await stage();
    const { code, stdout, stderr } = await backends(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).toContain('hint: ');
    expect(files()).toEqual([]);
  });

  test('a wrong checksum leaves nothing', async () => {
    const { backends, files, probe } = await stage({ version: '1.0.0', hasWrongChecksum: true });
    const { code, stderr } = await backends('install', 'gemini');
    expect(code).toBe(1);
    expect(stderr).toContain('does not have the checksum that the registry names');
    expect(stderr).toContain('hint: Nothing was installed.');
    expect(files()).toEqual([]);
    expect(await probe()).toMatchObject({ installed: false });
  });

  test('a release that does not exist leaves nothing', async () => {
    const { backends, files } = await stage({ version: '1.0.0' });
    const { code, stderr } = await backends('install', 'gemini@9.0.0');
    expect([code, files()]).toEqual([1, []]);
    expect(stderr).toContain('no such release');
  });

  test('a registry that cannot be reached is named as the reason', async () => {
    const { registry, backends, files } = await stage();
    registry.close();
    const { code, stderr } = await backends('install', 'gemini');
    expect([code, files()]).toEqual([1, []]);
    expect(stderr).toContain('error (network_unreachable): npm could not reach its registry');
  });

  test('an agent that does not start is not installed', async () => {
    const program = '#!/bin/sh\necho "wrong machine" >&2; exit 3\n';
    const { backends, files } = await stage({ version: '1.0.0', program });
    const { code, stderr } = await backends('install', 'gemini');
    expect([code, files()]).toEqual([1, []]);
    expect(stderr).toContain('does not start on this machine: wrong machine');
  });
});

describe.concurrent('install scripts that did not help', () => {
  test.each([
    ['end well', 'echo "no native package for this machine"; echo "giving up" >&2'],
    ['fail', 'echo "no native package for this machine"; echo "giving up" >&2; exit 1'],
  ])('and %s are shown with the end of their output', async (_end, postinstall) => {
    const program = '#!/bin/sh\nexit 3\n';
    const { backends, files } = await stage({ version: '1.0.0', program, postinstall });
    const { code, stderr } = await backends('install', 'gemini', '--allow-scripts');
    expect([code, files()]).toEqual([1, []]);
    expect(stderr).toContain('The install scripts printed:');
    expect(stderr).toContain('no native package for this machine');
    expect(stderr).toContain('giving up');
  });
});

test('--json prints an error as JSON too', async () => {
  const { backends } = await stage({ version: '1.0.0' });
  const { code, stdout, stderr } = await backends('install', 'gemini@9.0.0', '--json');
  expect([code, stderr]).toEqual([1, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'install_failed', hint: expect.stringContaining('Check the version') },
  });
});

test('an older release is a downgrade', async () => {
  const { backends } = await stage({ version: '1.0.0' }, { version: '1.1.0' });
  await backends('install', 'gemini');
  const { stdout } = await backends('install', 'gemini@1.0.0');
  expect(stdout).toContain('Downgraded gemini 1.1.0 to 1.0.0');
});

describe.concurrent('an interrupted installation', () => {
  const hangs = { version: '1.0.0', hangs: true };

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves nothing', async (signal) => {
    const { registry, start, world, files } = await stage(hangs);
    const child = start('install', 'gemini');
    await registry.hanging;
    const finished = world.finish(child);
    child.kill(signal);
    const { code, stderr } = await finished;
    expect([code, files()]).toEqual([130, []]);
    expect(stderr).toContain('interrupted; nothing was changed');
  });

  test('SIGKILL leaves no agent, and the next installation removes the rest', async () => {
    const { registry, start, backends, world, files, probe, installed } = await stage(hangs);
    const child = start('install', 'gemini');
    await registry.hanging;
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(child.signalCode).toBe('SIGKILL'));
    const leftover = files();
    expect(leftover).toEqual([expect.stringMatching(/^\.gemini-/)]);
    registry.publish({ version: '1.0.0' });
    expect((await backends('install', 'gemini')).code).toBe(0);
    expect(installed()).toMatchObject({ version: '1.0.0' });
    expect(files()).not.toContain(leftover[0]);
    expect(await probe()).toMatchObject({ installed: true });
    world.expectNothingLeft();
  });
});

describe.concurrent('install scripts', () => {
  test('do not run unless they are allowed', async () => {
    const { backends, files } = await stage(NEEDS_SCRIPT);
    const { code, stderr } = await backends('install', 'gemini');
    expect([code, files()]).toEqual([1, []]);
    expect(stderr).toContain('install scripts of @google/gemini-cli@1.0.0');
    expect(stderr).toContain('baton backends install gemini --allow-scripts');
  });

  test('run with --allow-scripts, and are recorded', async () => {
    const { backends, installed } = await stage(NEEDS_SCRIPT);
    expect((await backends('install', 'gemini', '--allow-scripts')).code).toBe(0);
    expect(installed()).toMatchObject({ scripts: ['@google/gemini-cli@1.0.0'] });
  });

  test('are skipped without a question when the agent starts without them', async () => {
    const { terminal, folder } = await stage({
      version: '1.0.0',
      postinstall: 'echo placed > placed',
    });
    const { code, output } = await terminal('install', 'gemini').end();
    expect([code, output]).toEqual([0, expect.stringContaining('Install scripts not run')]);
    const placed = join(folder, 'gemini/node_modules/@google/gemini-cli/placed');
    expect(existsSync(placed)).toBe(false);
  });

  test.each([
    ['y', 0, 'Install scripts run: @google/gemini-cli@1.0.0'],
    ['n', 1, 'which were not run'],
    ['\u0003', 130, 'interrupted; nothing was changed'],
  ])('on a terminal, the answer %j decides', async (key, expected, words) => {
    const { terminal, files } = await stage(NEEDS_SCRIPT);
    const screen = terminal('install', 'gemini');
    await screen.until('Run those of @google/gemini-cli@1.0.0?');
    await screen.until('no, do not install');
    screen.type(key);
    const { code, output } = await screen.end();
    expect([code, files().length]).toEqual([expected, expected === 0 ? 2 : 0]);
    expect(output).toContain(words);
  });

  test('does not use the registry that npm passes on from a folder', async () => {
    const [mine, other] = [await stage({ version: '1.0.0' }), await stage({ version: '6.6.6' })];
    const env = {
      PATH: process.env.PATH ?? '',
      NPM_CONFIG_REGISTRY: mine.registry.url,
      npm_command: 'exec',
      npm_config_registry: other.registry.url,
    };
    const args = ['backends', 'install', 'gemini'];
    expect((await mine.world.call({ args, env })).code).toBe(0);
    expect(mine.installed()).toMatchObject({ version: '1.0.0' });
  });

  test('do not get the keys of agents', async () => {
    const postinstall = 'test -z "$GEMINI_API_KEY" && echo placed > placed';
    const { world, registry, installed } = await stage({ ...NEEDS_SCRIPT, postinstall });
    const env = {
      PATH: process.env.PATH ?? '',
      npm_config_registry: registry.url,
      GEMINI_API_KEY: 'k',
    };
    const args = ['backends', 'install', 'gemini', '--allow-scripts'];
    expect((await world.call({ args, env })).code).toBe(0);
    expect(installed()).toMatchObject({ version: '1.0.0' });
  });
});

describe.concurrent('update', () => {
  test('installs the newest release in place of the old one', async () => {
    const { registry, backends, installed, files } = await stage({ version: '1.0.0' });
    await backends('install', 'gemini');
    expect((await backends('update', 'gemini')).stdout).toContain('already installed');
    registry.publish({ version: '1.1.0' });
    const { stdout } = await backends('update', 'gemini');
    expect(stdout).toContain('Updated gemini 1.0.0 to 1.1.0');
    expect(installed()).toMatchObject({ version: '1.1.0' });
    expect(files()).toHaveLength(2);
  });

  test.each<[string, Partial<Release>]>([
    ['has a wrong checksum', { hasWrongChecksum: true }],
    ['does not start', { program: '#!/bin/sh\nexit 1\n' }],
  ])('keeps the old release when the new one %s', async (_name, release) => {
    const { backends, installed, files } = await stage(
      { version: '1.1.0', ...release },
      { version: '1.0.0' },
    );
    await backends('install', 'gemini');
    const before = [installed(), files()];
    expect((await backends('update', 'gemini@1.1.0')).code).toBe(1);
    expect([installed(), files()]).toEqual(before);
  });

  test('is refused for an agent that Baton has not installed', async () => {
    const { backends } = await stage();
    const { code, stderr } = await backends('update', 'gemini');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Baton has not installed Gemini')]);
  });
});

test.concurrent('two installations at once leave one complete agent', async () => {
  const { start, world, installed, probe } = await stage(
    { version: '1.0.0' },
    { version: '1.1.0' },
  );
  const both = ['gemini@1.0.0', 'gemini@1.1.0'].map((name) => once(start('install', name), 'exit'));
  expect(await Promise.all(both)).toEqual([
    [0, null],
    [0, null],
  ]);
  world.expectNothingLeft();
  expect(await probe()).toMatchObject({ installed: true, version: installed().version });
});

test.concurrent('remove leaves nothing, and a second one is an error', async () => {
  const { backends, files } = await stage({ version: '1.0.0' });
  await backends('install', 'gemini');
  expect((await backends('remove', 'gemini')).stdout).toBe('Removed gemini 1.0.0.\n');
  expect(files()).toEqual([]);
  expect((await backends('remove', 'gemini')).code).toBe(1);
});

test.concurrent('a folder that is not from Baton is not replaced', async () => {
  const { backends, folder, files } = await stage({ version: '1.0.0' });
  mkdirSync(join(folder, 'gemini/own'), { recursive: true });
  const { code, stderr } = await backends('install', 'gemini');
  expect([code, files()]).toEqual([1, ['gemini']]);
  expect(stderr).toContain('was not made by "baton backends install"');
});
