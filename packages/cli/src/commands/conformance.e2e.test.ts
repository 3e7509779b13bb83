import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { operatedApart } from '../testing/operated.ts';

const EXAMPLE = join(import.meta.dirname, '../../../../examples/backend');
const MODULE = join(EXAMPLE, 'parrot.ts');
const env = { PARROT_BIN: join(EXAMPLE, 'parrot-agent.mjs') };

test.each([
  ['parrot', 'Parrot', '– resume goes on with the same session in a new process (the agent'],
  ['otter', 'Otter', '✓ resume goes on with the same session in a new process'],
])(
  'the example %s of a backend passes, without what it says it lacks',
  { timeout: 120_000 },
  async (name, label, resume) => {
    const world = new CliWorld();
    const program = { [`${name.toUpperCase()}_BIN`]: join(EXAMPLE, `${name}-agent.mjs`) };
    const args = ['conformance', join(EXAMPLE, `${name}.ts`)];
    const { code, stdout } = await world.call({ args, env: program });
    expect(stdout.split('\n').filter((line) => line.startsWith('✗'))).toEqual([]);
    expect(stdout.startsWith(`${label} (${name})\n`)).toBe(true);
    expect(stdout).toContain(resume);
    expect(stdout).toMatch(/\n\d{2} passed, \d+ skipped, 0 failed\n$/);
    expect(code).toBe(0);
  },
);

test('a program below ~ is found, although each case has its own home', async () => {
  const world = new CliWorld();
  installMynah(world);
  const { stdout } = await world.call({ args: ['conformance', './mynah.ts'] });
  expect(stdout.split('\n').filter((line) => line.startsWith('✗'))).toEqual([]);
});

/** Writes the module of the documentation, and its program, which repeats the prompt. */
function installMynah(world: CliWorld, change = (module: string) => module): void {
  const page = readFileSync(join(EXAMPLE, '../../docs/your-own-agent.md'), 'utf8');
  const [, module = ''] = /mynah\.ts <<'END'\n(.*?)\nEND\n/s.exec(page) ?? [];
  writeFileSync(join(world.cwd, 'mynah.ts'), change(module));
  mkdirSync(join(world.home, 'bin'));
  const program = '#!/bin/sh\necho "said $(cat)"\necho done\n';
  writeFileSync(join(world.home, 'bin/mynah'), program, { mode: 0o755 });
}

describe.concurrent('a backend that does not behave', () => {
  test('fails, with the case and the reason, as text and as JSON', async () => {
    const world = new CliWorld();
    // One that loses what the agent says.
    const mute = readFileSync(MODULE, 'utf8').replace("case 'text':", "case 'no-text':");
    writeFileSync(join(world.cwd, 'mute.ts'), mute);
    const only = ['--only', 'streams the answer'];
    const text = await world.call({ args: ['conformance', './mute.ts', ...only], env });
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/✗ streams the answer[^\n]*\n {4}\S/);
    const json = await world.call({ args: ['conformance', '--json', './mute.ts', ...only], env });
    const finding = JSON.parse(json.stdout);
    expect(finding).toMatchObject({ outcome: 'failed', name: expect.stringMatching(/^streams/) });
    expect(finding.reason).not.toBe('');
  });

  test('is refused when its names are those of a built-in one', async () => {
    const world = new CliWorld();
    const thief = readFileSync(MODULE, 'utf8').replace("aliases: ['polly']", "aliases: ['claude']");
    writeFileSync(join(world.cwd, 'thief.ts'), thief);
    const { code, stderr } = await world.call({ args: ['conformance', './thief.ts'], env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('it belongs to "claude-cli"')]);
  });

  test('is refused with what to export when its agent carries out no scripts', async () => {
    const world = new CliWorld();
    installMynah(world, (module) => module.replace(/^export const conformance.*/ms, ''));
    const { code, stdout, stderr } = await world.call({ args: ['conformance', './mynah.ts'] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('was to say "Ready." and said "[{"say":"Ready."}]"');
    expect(stderr).toContain('export const conformance = { prompt: (steps) =>');
  });

  test.each([
    ['there is no module', ['conformance'], /Expected one MODULE/],
    [
      'the module is not there',
      ['conformance', './gone.ts'],
      /Invalid backend module \.\/gone\.ts/,
    ],
    [
      'no case has the words',
      ['conformance', MODULE, '--only', 'xyzzy'],
      /No case name contains "xyzzy"/,
    ],
  ])('is refused when %s', async (_what, args, words) => {
    const { code, stderr } = await new CliWorld().call({ args, env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });
});

describe.concurrent("a module in the user's configuration", () => {
  function configured(modules: string[]) {
    const world = new CliWorld();
    mkdirSync(join(world.home, '.baton'), { recursive: true });
    const path = join(world.home, '.baton/config.json');
    writeFileSync(path, JSON.stringify({ backendModules: modules }));
    return world;
  }

  test('runs like any other, under its aliases too', async () => {
    const world = configured([MODULE]);
    const run = (...args: string[]) => world.call({ args: ['run', ...args], env });
    const { code, stdout } = await run('-b', 'polly', '-p', 'allow-all', 'Pieces of eight.');
    expect([code, stdout.trim()]).toEqual([0, 'Pieces of eight.']);
    const listed = await world.call({ args: ['backends'], env });
    expect(listed.stdout).toContain('parrot');
  });

  test('that is broken does not affect the others, and a run of it says why', async () => {
    const world = configured(['./broken.mjs', MODULE]);
    writeFileSync(join(world.home, '.baton/broken.mjs'), "throw new Error('out of milk');");
    const run = (backend: string) =>
      world.call({ args: ['run', '-b', backend, '-p', 'allow-all', 'Hello.'], env });
    expect((await run('parrot')).stdout.trim()).toBe('Hello.');
    expect((await run('demo')).code).toBe(0);
    const refused = await run('broken');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Invalid backend module ./broken.mjs.');
    expect(refused.stderr).toContain('out of milk');
    const doctor = await world.call({ args: ['doctor'], env });
    expect(doctor.stdout).toContain('out of milk');
    expect(doctor.stdout).toContain('Parrot');
  });

  test('that cannot be loaded is listed with the reason, next to the others', async () => {
    const world = configured(['./late.ts']);
    const late = readFileSync(MODULE, 'utf8').replace(
      'load: async () => ({',
      "load: async () => { throw new Error('no milk either'); }, x: () => ({",
    );
    writeFileSync(join(world.home, '.baton/late.ts'), late);
    const { stdout } = await world.call({ args: ['doctor'], env });
    expect(stdout).toContain('no milk either');
    expect(stdout).toContain('Demo agent');
    expect((await world.call({ args: ['backends'], env })).stdout).toContain('Parrot');
  });

  test('cannot come from the configuration of a project', async () => {
    const world = new CliWorld();
    const project = { backendModules: [MODULE] };
    writeFileSync(join(world.cwd, 'baton.json'), JSON.stringify(project));
    const { code, stderr } = await world.call({ args: ['run', '-b', 'parrot', 'Hi'], env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('may not set backendModules')]);
  });
});

test('a module runs through a daemon, which lists it with the others', async () => {
  const modules = `${MODULE},/gone/broken.mjs`;
  const { baton, client } = await operatedApart({ ...env, BATON_BACKEND_MODULES: modules });
  const listed = await client.backends.find();
  const labels = listed.map(({ label }) => label);
  expect(labels).toEqual([...new Registry().entries().map(({ label }) => label), 'Parrot']);
  const flags = ['--daemon', 'auto', '-b', 'parrot', '-p', 'allow-all'];
  const { code, stdout, stderr } = await baton('run', ...flags, 'Pieces of eight.');
  expect(stderr).not.toContain('error');
  expect([code, stdout.trim()]).toEqual([0, 'Pieces of eight.']);
});
