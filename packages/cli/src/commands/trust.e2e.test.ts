import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { operated } from '../testing/operated.ts';

const PROMPT = 'demo:script [{"say":"Hello."}]';

/** A world whose project has a hook for the demo agent, and where it leaves its mark. */
function hooked(world = new CliWorld()) {
  const mark = join(world.home, 'hook-ran');
  const settings = join(world.cwd, '.baton-demo.json');
  writeFileSync(settings, JSON.stringify({ onStart: `touch '${mark}'` }));
  return { world, ran: () => existsSync(mark), settings };
}

const kept = (world: CliWorld) =>
  JSON.parse(readFileSync(join(world.home, '.baton/trust.json'), 'utf8'));

describe('the hook of a folder', () => {
  test('does not run until the folder is trusted, with a notice', async () => {
    const { world, ran } = hooked();
    const first = await world.events({ args: ['run', PROMPT] });
    expect(ran()).toBe(false);
    expect(first.events).toContainEqual(
      expect.objectContaining({
        code: 'folder_untrusted',
        level: 'warning',
        data: { folder: world.cwd, trusted: false, settings: ['.baton-demo.json'] },
      }),
    );
    expect(await world.call({ args: ['trust'] })).toMatchObject({
      code: 0,
      stdout: `Trusted ${world.cwd}\n`,
    });
    const second = await world.events({ args: ['run', PROMPT] });
    expect(ran()).toBe(true);
    expect(JSON.stringify(second.events)).not.toContain('folder_untrusted');
  });

  test('runs where a variable says that the folder is trusted', async () => {
    const { world, ran } = hooked();
    await world.call({ args: ['run', PROMPT], env: { BATON_TRUSTED_FOLDERS: world.home } });
    expect(ran()).toBe(true);
  });

  test('cannot be trusted by the folder itself', async () => {
    const { world, ran } = hooked();
    writeFileSync(join(world.cwd, 'baton.json'), '{ "trustedFolders": ["/"] }');
    const { code, stderr } = await world.call({ args: ['run', PROMPT] });
    expect(code).toBe(2);
    expect(stderr).toContain('may not set trustedFolders');
    expect(ran()).toBe(false);
  });
});

describe('at a terminal', () => {
  test.each([
    ['y', true],
    ['n', false],
  ] as const)('%s decides about the folder, once', async (key, trusted) => {
    const { world, ran } = hooked();
    const terminal = world.terminal({ args: ['run', PROMPT] });
    await terminal.until('Do you trust');
    await terminal.until('run without them');
    terminal.type(key);
    const { code, output } = await terminal.end();
    expect(code).toBe(0);
    expect(output).toContain('Hello.');
    expect(ran()).toBe(trusted);
    expect(kept(world)[trusted ? 'trusted' : 'untrusted']).toEqual([world.cwd]);
    const again = await world.terminal({ args: ['run', PROMPT] }).end();
    expect(again.output).not.toContain('Do you trust');
  });

  test('the answer is about this folder, also when it was named by a relative path', async () => {
    const { world, ran } = hooked();
    const terminal = world.terminal({ args: ['run', '--cwd', '.', PROMPT] });
    await terminal.until('run without them');
    terminal.type('y');
    expect((await terminal.end()).code).toBe(0);
    expect(ran()).toBe(true);
    expect(kept(world).trusted).toEqual([world.cwd]);
  });

  test('Ctrl-C decides nothing and runs nothing', async () => {
    const { world, ran } = hooked();
    const terminal = world.terminal({ args: ['run', PROMPT] });
    await terminal.until('run without them');
    terminal.type('\u0003');
    const { code, output } = await terminal.end();
    expect(code).toBe(130);
    expect(output).not.toContain('Hello.');
    expect(ran()).toBe(false);
    expect(existsSync(join(world.home, '.baton/trust.json'))).toBe(false);
  });

  test('does not ask for a folder without settings', async () => {
    const { output } = await new CliWorld().terminal({ args: ['run', PROMPT] }).end();
    expect(output).not.toContain('Do you trust');
  });

  test('a run through a daemon asks too, and the daemon stores the answer', async () => {
    const { world, client } = await operated();
    // The daemon is in this process, and keeps decisions in the home of its user.
    vi.stubEnv('HOME', world.home);
    onTestFinished(() => void vi.unstubAllEnvs());
    hooked(world);
    const terminal = world.terminal({ args: ['run', '--daemon', 'auto', '-b', 'demo', PROMPT] });
    await terminal.until('run without them');
    terminal.type('n');
    expect((await terminal.end()).code).toBe(0);
    expect(await client.trustedFolders.find()).toEqual([{ folder: world.cwd, trusted: false }]);
  });
});

describe('decisions', () => {
  test('are listed, changed and forgotten', async () => {
    const world = new CliWorld();
    const list = async () =>
      JSON.parse((await world.call({ args: ['trust', '--list', '--json'] })).stdout);
    mkdirSync(join(world.cwd, 'sub'));
    await world.call({ args: ['trust', 'sub'] });
    await world.call({ args: ['trust', '--no', '.'] });
    expect(await list()).toEqual({ trusted: [join(world.cwd, 'sub')], untrusted: [world.cwd] });
    await world.call({ args: ['trust', '--forget', 'sub'] });
    expect(await list()).toEqual({ trusted: [], untrusted: [world.cwd] });
    const { stdout } = await world.call({ args: ['trust', '--list'] });
    expect(stdout).toBe(`not trusted  ${world.cwd}\n`);
  });

  test('are not made about a folder that is not there', async () => {
    const { code, stderr } = await new CliWorld().call({ args: ['trust', 'nowhere'] });
    expect(code).toBe(2);
    expect(stderr).toContain('does not exist');
  });

  test('are listed by doctor, with what is ignored here', async () => {
    const { world } = hooked();
    await world.call({ args: ['trust', world.home] });
    await world.call({ args: ['trust', '--no'] });
    const { stdout } = await world.call({ args: ['doctor'] });
    expect(stdout).toContain('not trusted here: Demo agent does not use .baton-demo.json');
    expect(stdout).toContain(`trusted: ${world.home}`);
    const { trust } = JSON.parse((await world.call({ args: ['doctor', '--json'] })).stdout);
    expect(trust.here).toEqual([
      { backend: 'demo', label: 'Demo agent', settings: ['.baton-demo.json'] },
    ]);
  });
});

test('npx does not run an agent of the project', async () => {
  const world = new CliWorld();
  const bin = join(world.cwd, 'node_modules/.bin');
  const mark = join(world.home, 'planted');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(world.cwd, 'package.json'), '{ "name": "project" }');
  const sub = join(world.cwd, 'packages/one');
  mkdirSync(sub, { recursive: true });
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  // As npm links the command of a package that is installed in the project.
  writeFileSync(
    join(bin, 'baton'),
    `#!/bin/sh\nexec '${process.execPath}' '${inject('baton')}' "$@"\n`,
    { mode: 0o755 },
  );
  const node = dirname(realpathSync(process.execPath));
  const npx = world.spawn(
    '/bin/sh',
    ['-c', `cd '${sub}' && exec npx baton run -b claude --json Hi`],
    {
      PATH: `${npmFolder()}:${node}:/usr/bin:/bin`,
      npm_config_cache: join(world.home, 'npm'),
    },
  );
  npx.stdin.end();
  const { stdout, stderr } = await world.finish(npx);
  expect(existsSync(mark)).toBe(false);
  expect(stdout + stderr).toContain('Skipped');
  expect(stdout + stderr).toContain('backend_not_found');
});

/** Returns the folder of `npx` on this machine. */
function npmFolder(): string {
  const folder = (process.env.PATH ?? '').split(':').find((each) => existsSync(join(each, 'npx')));
  return folder ?? '/usr/bin';
}
