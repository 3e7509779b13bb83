import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { capabilitiesSchema, probeSchema } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';

const registry = new Registry();
const ids = registry.entries().map(({ id }) => id);

describe.concurrent('backends', () => {
  test('--json has every backend with its probe and its capabilities', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['backends', '--json'] });
    expect([code, stderr]).toEqual([0, '']);
    const listed: { id: string; probe: unknown; capabilities: unknown }[] = JSON.parse(stdout);
    expect(listed.map(({ id }) => id)).toEqual(ids);
    for (const { id, probe, capabilities } of listed) {
      expect(probeSchema.parse(probe)).toMatchObject({ backend: id });
      expect(capabilitiesSchema.safeParse(capabilities).success).toBe(true);
    }
  });

  test('lists each agent with install command and capabilities', async () => {
    const { code, stdout } = await new CliWorld().call({ args: ['backends'] });
    expect(code).toBe(0);
    for (const id of ids) expect(stdout).toContain(` ${id}  `);
    expect(stdout).toContain('not installed; install: baton backends install claude');
    expect(stdout).toContain('permission modes: ask, auto, allow-all');
    expect(stdout).not.toContain('\u001b');
  });
});

describe.concurrent('doctor', () => {
  test('--json says whether a real agent is ready, in its exit code too', async () => {
    const { code, stdout, stderr } = await new CliWorld().call({ args: ['doctor', '--json'] });
    expect([code, stderr]).toEqual([1, '']);
    const { ready, backends } = JSON.parse(stdout);
    expect(ready).toBe(false);
    expect(backends.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('shows how to install missing agents, and offers the demo', async () => {
    const { code, stdout } = await new CliWorld().call({ args: ['doctor'] });
    expect(code).toBe(1);
    expect(stdout).toMatch(/Claude Code {2}not installed\n {4}install: /);
    expect(stdout).toMatch(/Demo agent {2}1 .*needs no credentials/);
    expect(stdout).toContain('baton run --backend demo');
  });

  test('finds a program that is not where it was looked for', async () => {
    const { stdout } = await new CliWorld().call({
      args: ['doctor', '--json'],
      env: { BATON_CLAUDE_BIN: '/nowhere/claude' },
    });
    const claude = JSON.parse(stdout).backends[0];
    expect(claude.problems[0]).toMatchObject({
      code: 'backend_not_found',
      message: expect.stringContaining('/nowhere/claude'),
    });
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'the default',
      { BATON_BACKEND: '' },
      'Ready: baton run --backend codex "Explain this folder"',
    ],
    ['the chosen one', { BATON_BACKEND: 'codex' }, 'Ready: baton run "Explain this folder"'],
  ])('proposes a command that works when %s is not the agent that is ready', async (...args) => {
    const [, env, words] = args;
    const world = new CliWorld();
    install(world, 'codex');
    const { code, stdout } = await world.call({
      args: ['doctor'],
      env: { ...env, OPENAI_API_KEY: 'k', CODEX_API_KEY: 'k' },
    });
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, words]);
  });

  test('proposes a permission mode that the agent has', async () => {
    const world = new CliWorld();
    mkdirSync(join(world.home, '.baton'), { recursive: true });
    const stoat = { command: [process.execPath, '-e', '0'], dialect: 'plain' };
    const config = JSON.stringify({ agents: { stoat } });
    writeFileSync(join(world.home, '.baton/config.json'), config);
    const last = async (env = {}) => {
      const { stdout } = await world.call({ args: ['doctor'], env });
      return stdout.trimEnd().split('\n').at(-1);
    };
    const rest = '--permission-mode allow-all "Explain this folder"';
    expect(await last()).toBe(`Ready: baton run --backend stoat ${rest}`);
    expect(await last({ BATON_BACKEND: 'stoat' })).toBe(`Ready: baton run ${rest}`);
  });

  test.each([
    ['0.1.0', 'older', 'Update the agent.'],
    ['999.0.0', 'newer', 'If it behaves differently, update Baton.'],
  ])('says that release %s is %s than the tested ones', async (version, word, hint) => {
    const world = new CliWorld();
    install(world, 'codex', version);
    const { code, stdout } = await world.call({ args: ['doctor'], env: { CODEX_API_KEY: 'k' } });
    expect(code, 'the agent can be used all the same').toBe(0);
    expect(stdout).toContain(`    ${version} is ${word} than the tested releases (`);
    expect(stdout).toContain(`    → ${hint}\n`);
  });

  test('names the command that updates an agent which Baton installed', async () => {
    const world = new CliWorld();
    const folder = join(world.home, '.baton/agents/codex/node_modules');
    mkdirSync(join(folder, '.bin'), { recursive: true });
    mkdirSync(join(folder, 'codex'));
    writeFileSync(join(folder, 'codex/package.json'), '{"version":"0.1.0"}');
    writeFileSync(join(folder, 'codex/codex'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('../codex/codex', join(folder, '.bin/codex'));
    const { stdout } = await world.call({ args: ['doctor'], env: { CODEX_API_KEY: 'k' } });
    expect(stdout).toContain('→ Update the agent: baton backends update codex\n');
  });

  test('names the variable that holds the key of an agent without one', async () => {
    const world = new CliWorld();
    install(world, 'gemini');
    const { stdout } = await world.call({ args: ['doctor'], env: { GEMINI_API_KEY: '' } });
    expect(stdout).toContain('→ Set GEMINI_API_KEY, or log in');
  });

  test('says nothing about a tested release', async () => {
    const world = new CliWorld();
    install(world, 'codex', registry.entry('codex').testedVersions?.newest);
    const { stdout } = await world.call({ args: ['doctor'], env: { CODEX_API_KEY: 'k' } });
    expect(stdout).not.toContain('tested releases');
  });

  test('says that a program was skipped because it comes with the folder', async () => {
    const world = new CliWorld();
    const bin = join(world.cwd, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const missing = await world.call({ args: ['doctor'], env });
    expect(missing.stdout).toContain(`Skipped ${join(bin, 'codex')}`);
    expect(missing.stdout).toContain(`set BATON_CODEX_BIN=${join(bin, 'codex')}`);
    install(world, 'codex');
    const found = await world.call({ args: ['doctor'], env });
    expect(found.stdout).toContain(`Skipped ${join(bin, 'codex')}`);
  });

  test('says who gave a path that is wrong', async () => {
    const world = new CliWorld();
    const byVariable = await world.call({
      args: ['doctor'],
      env: { BATON_CLAUDE_BIN: '/nowhere/claude' },
    });
    expect(byVariable.stdout).toContain('BATON_CLAUDE_BIN: /nowhere/claude does not exist');
    const path = join(world.home, '.baton/config.json');
    mkdirSync(join(world.home, '.baton'), { recursive: true });
    writeFileSync(path, '{ "binaries": { "claude": "/nowhere/claude" } }');
    const words = `It is set by binaries in ${path}.`;
    expect((await world.call({ args: ['doctor'] })).stdout).toContain(words);
    expect((await world.call({ args: ['run', '-b', 'claude', 'x'] })).stderr).toContain(words);
  });
});

describe.concurrent('a broken configuration', () => {
  function broken() {
    const world = new CliWorld();
    install(world, 'codex');
    writeFileSync(join(world.cwd, 'baton.json'), '{ "model": ');
    return { world, place: `${join(world.cwd, 'baton.json')}:1:11: ` };
  }

  test('is a finding of doctor, which continues', async () => {
    const { world, place } = broken();
    const { code, stdout, stderr } = await world.call({ args: ['doctor'] });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^✗ Configuration\n/);
    expect(stdout).toContain(place);
    expect(stdout).toContain('Demo agent');
    expect(stdout).toContain('Fix the configuration first');
  });

  test('is a finding of doctor --json', async () => {
    const { world, place } = broken();
    const { ready, problems } = JSON.parse(
      (await world.call({ args: ['doctor', '--json'] })).stdout,
    );
    expect(ready).toBe(false);
    expect(problems).toMatchObject([
      { code: 'config_invalid', message: expect.stringContaining(place) },
    ]);
  });

  test('does not keep backends from being listed', async () => {
    const { world, place } = broken();
    const { code, stdout, stderr } = await world.call({ args: ['backends'] });
    expect(code).toBe(0);
    expect(stderr).toContain(place);
    for (const id of ids) expect(stdout).toContain(` ${id}  `);
  });
});

/** A program of that name, which says that it is one version old. */
function install(world: CliWorld, name: string, version?: string): void {
  const folder = join(world.home, '.local/bin');
  mkdirSync(folder, { recursive: true });
  if (version) writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
}
