import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

const MYNAH = resolve(import.meta.dirname, '../../../../examples/own-agent/mynah.mjs');
const AGENT = {
  label: 'Mynah',
  command: [process.execPath, MYNAH],
  dialect: 'claude-stream-json',
  resume: '--resume {session}',
  capabilities: ['usage'],
};
const RUN = ['run', '--backend', 'mynah', '--permission-mode', 'allow-all'];

/** A home whose configuration has agents. */
function worldWith(agents: unknown): CliWorld {
  const world = new CliWorld();
  mkdirSync(join(world.home, '.baton'), { recursive: true });
  writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify({ agents }));
  return world;
}

describe.concurrent('an agent of the configuration', () => {
  test('runs, and resumes its session', async () => {
    const world = worldWith({ mynah: AGENT });
    const first = await world.events({ args: [...RUN, 'Hello'] });
    const end = first.events.at(-1);
    expect(end).toMatchObject({ type: 'run.completed', output: 'You said: Hello' });
    const id = end?.type === 'run.completed' ? (end.nativeSessionId ?? '') : '';
    const second = await world.call({ args: [...RUN, '--resume', id, 'Again'] });
    expect([second.code, second.stdout]).toEqual([0, 'You said: Hello, then: Again']);
  });

  test('shows its tools with their outcomes', async () => {
    const { events } = await worldWith({ mynah: AGENT }).events({ args: [...RUN, 'run: exit 3'] });
    expect(events.find(({ type }) => type === 'tool.completed')).toMatchObject({
      outcome: 'error',
      action: { type: 'command', command: 'exit 3', exitCode: 3 },
    });
  });

  test('is stopped with everything that it started', async () => {
    const world = worldWith({ mynah: AGENT });
    const child = world.start({ args: [...RUN, 'run: sleep 600'] });
    const commands = () => world.running().map((command) => command.trim());
    await vi.waitFor(() => expect(commands()).toContain('sleep 600'), { timeout: 20_000 });
    child.kill('SIGINT');
    expect((await world.finish(child)).code).toBe(130);
  });

  test('is listed with what its configuration says, and nothing more', async () => {
    const world = worldWith({ mynah: AGENT });
    const { stdout } = await world.call({ args: ['backends', '--json'] });
    const listed: { id: string }[] = JSON.parse(stdout);
    expect(listed.find(({ id }) => id === 'mynah')).toMatchObject({
      label: 'Mynah',
      probe: { installed: true, path: process.execPath },
      capabilities: {
        features: { resume: true, usage: true, streaming: false, permissions: false, cost: false },
        permissions: 'none',
        permissionModes: ['allow-all'],
        stop: 'verified',
      },
    });
    const doctor = await world.call({ args: ['doctor'] });
    expect(doctor.stdout).toMatch(/✓ Mynah {2}.*needs no credentials/);
  });

  test('has no version, as that of its interpreter is not its own', async () => {
    const world = worldWith({ mynah: AGENT });
    const { stdout } = await world.call({ args: ['doctor', '--json'] });
    const { backends }: { backends: { id: string }[] } = JSON.parse(stdout);
    const mynah = backends.find(({ id }) => id === 'mynah');
    expect(mynah).toMatchObject({ installed: true, foundBy: 'agents.mynah' });
    expect(mynah).not.toHaveProperty('version');
  });

  test('does not run in a mode that it cannot keep', async () => {
    const world = worldWith({ mynah: AGENT });
    const { code, stderr } = await world.call({
      args: ['run', '--backend', 'mynah', '--permission-mode', 'ask', 'Hello'],
    });
    expect(code).toBe(2);
    expect(stderr).toContain('does not support permission mode "ask"');
    expect(stderr).toContain('hint: Use "allow-all" (--permission-mode allow-all).');
  });

  test('gives no reason that repeats itself for an option that it lacks', async () => {
    const world = worldWith({ mynah: AGENT });
    const { stderr } = await world.call({ args: [...RUN, '--model', 'm', 'Hello'] });
    expect(stderr).toContain('Mynah does not support model.\n');
  });
});

describe.concurrent('a mistake in an agent of the configuration', () => {
  const agents = { mynah: { ...AGENT, dialect: 'json' }, finch: AGENT, claude: AGENT };

  test('is told with file, key and what to write, by a run of it', async () => {
    const world = worldWith(agents);
    const { code, stderr } = await world.call({ args: [...RUN, 'Hello'] });
    expect(code).toBe(2);
    expect(stderr).toContain(`agents.mynah.dialect (${join(world.home, '.baton/config.json')})`);
    expect(stderr).toContain('"claude-stream-json"');
  });

  test('such as a program that does not exist has a hint about its command', async () => {
    const world = worldWith({ mynah: { command: 'no-such-prog', dialect: 'plain' } });
    const { stderr } = await world.call({ args: [...RUN, 'Hello'] });
    expect(stderr).toContain('hint: Install no-such-prog, or fix the command of agents.mynah.\n');
    const { stdout } = await world.call({ args: ['backends'] });
    expect(stdout).toContain('not installed; Install no-such-prog, or fix the command of');
  });

  test('does not hide that another name is unknown', async () => {
    const world = worldWith(agents);
    const unknown = await world.call({ args: ['run', '--backend', 'nosuch', 'Hello'] });
    expect(unknown.stderr).toMatch(/Unknown backend "nosuch"\.\nhint: Backends: claude-cli, /);
    const similar = await world.call({ args: ['run', '--backend', 'codx', 'Hello'] });
    expect(similar.stderr).toContain('hint: Did you mean codex');
  });

  test('is told by a run with the name that is taken', async () => {
    const world = worldWith(agents);
    const { code, stderr } = await world.call({ args: ['run', '--backend', 'claude', 'Hello'] });
    expect(code).toBe(2);
    expect(stderr).toMatch(/agents\.claude .*belongs to "claude-cli"/);
  });

  test('does not affect other agents', async () => {
    const world = worldWith(agents);
    const args = ['run', '--backend', 'finch', '--permission-mode', 'allow-all', 'Hello'];
    expect(await world.call({ args })).toMatchObject({ code: 0, stdout: 'You said: Hello' });
    const demo = ['run', '--backend', 'demo', '--permission-mode', 'allow-all', 'Hello'];
    expect((await world.call({ args: demo })).code).toBe(0);
  });

  test('is a finding of doctor, as is a name that is taken', async () => {
    const { code, stdout } = await worldWith(agents).call({ args: ['doctor'] });
    expect(code).toBe(1);
    expect(stdout).toContain('agents.mynah.dialect');
    expect(stdout).toMatch(/agents\.claude .*"claude".*belongs to "claude-cli"/);
  });

  test('in the setting as a whole affects nothing either', async () => {
    const world = worldWith('mynah');
    const args = ['run', '--backend', 'demo', '--permission-mode', 'allow-all', 'Hello'];
    expect((await world.call({ args })).code).toBe(0);
    expect((await world.call({ args: ['doctor'] })).stdout).toContain('must be an object');
  });
});

test('a project cannot bring an agent', async () => {
  const world = new CliWorld();
  writeFileSync(join(world.cwd, 'baton.json'), JSON.stringify({ agents: { mynah: AGENT } }));
  const { code, stderr } = await world.call({ args: [...RUN, 'Hello'] });
  expect(code).not.toBe(0);
  expect(stderr).toContain('may not set agents');
});

test('a command takes the place of the program of an agent', async () => {
  const world = new CliWorld();
  const commands = { amp: `${process.execPath} "${MYNAH}"` };
  mkdirSync(join(world.home, '.baton'), { recursive: true });
  writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify({ commands }));
  const { code, stdout } = await world.call({
    args: ['run', '--backend', 'amp', '--permission-mode', 'allow-all', 'Hello'],
    env: { AMP_API_KEY: 'k' },
  });
  expect([code, stdout]).toEqual([0, 'You said: Hello']);
});
