import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { isRunning } from '../testing/baton.ts';
import { repository } from '../testing/repository.ts';

/** A worktree "fix" of a project that the user trusts, with these settings. */
async function worktree(workspace: object, { isTrusted = true } = {}) {
  const made = repository();
  const { cwd, baton, agent, git } = made;
  const configure = (settings: object) => {
    writeFileSync(join(cwd, 'baton.json'), JSON.stringify({ workspace: settings }));
  };
  configure(workspace);
  git('add', '-A');
  git('commit', '--quiet', '-m', 'settings');
  if (isTrusted) await baton('trust', cwd);
  const run = await agent([{ say: 'Done.' }], '--worktree=fix');
  const fix = join(made.path, 'fix');
  const first = (child: ReturnType<typeof made.world.start>) =>
    once(createInterface({ input: child.stdout }), 'line').then(String);
  return { ...made, configure, run, fix, first };
}

test('the cleanup script runs before a worktree is removed, with its variables', async () => {
  const script = 'echo "$BATON_BRANCH in $(pwd)" > ../cleaned; echo tidy; echo also >&2';
  const { baton, fix } = await worktree({ cleanup: script });
  const { code, stdout, stderr } = await baton('workspaces', 'remove', 'fix');
  expect(code).toBe(0);
  expect(stdout).toContain(`Removed ${fix}.`);
  expect(stderr.split('\n')).toEqual(expect.arrayContaining(['tidy', 'also']));
  expect(readFileSync(join(fix, '../cleaned'), 'utf8')).toBe(`baton/fix in ${fix}\n`);
  expect(existsSync(fix)).toBe(false);
});

test('no cleanup runs in a worktree that was not set up with the settings', async () => {
  const { baton, configure, fix } = await worktree({});
  configure({ cleanup: 'echo "$WEB_PORT" > ../cleaned', ports: ['WEB_PORT'] });
  expect((await baton('workspaces', 'remove', 'fix')).code).toBe(0);
  expect(existsSync(join(fix, '../cleaned'))).toBe(false);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s during the setup ends it with its processes',
  async (signal) => {
    const { world, configure } = await worktree({});
    configure({ setup: 'sleep 600 & echo "sleeps: $!"; wait' });
    const run = world.start({ args: ['run', '--worktree=two', 'demo:script [{"say":"Hi."}]'] });
    run.stdin.end();
    const sleep = Promise.withResolvers<number>();
    let stderr = '';
    run.stderr.on('data', (text) => {
      stderr += text;
      const pid = /sleeps: (\d+)\n/.exec(stderr)?.[1];
      if (pid) sleep.resolve(Number(pid));
    });
    const pid = await sleep.promise;
    run.kill(signal);
    expect(await world.finish(run)).toMatchObject({ code: 130, stdout: '' });
    expect(isRunning(pid)).toBe(false);
  },
);

test('a project that is not trusted is set up with nothing, and the run says so', async () => {
  const { run } = await worktree({ setup: 'touch ../ran' }, { isTrusted: false });
  expect(run.stderr).toContain('warning: The workspace settings in');
  expect(run.stderr).toContain('Trust it with "baton trust"');
});

test('a failed cleanup keeps the worktree, with its output and exit code, unless forced', async () => {
  const { baton, fix } = await worktree({ cleanup: 'echo no database; exit 3' });
  const refused = await baton('workspaces', 'remove', 'fix');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('no database');
  expect(refused.stderr).toContain('The cleanup exited with 3.');
  const cleaned = await baton('workspaces', 'clean');
  expect(cleaned.code).toBe(1);
  expect(cleaned.stderr).toContain(`${fix}: The cleanup exited with 3.`);
  expect(existsSync(fix)).toBe(true);
  const forced = await baton('workspaces', 'remove', 'fix', '--force');
  expect(forced.code).toBe(0);
  expect(forced.stderr).toContain('warning: The cleanup exited with 3.');
  expect(existsSync(fix)).toBe(false);
});

test('the cleanup does not run if work would be lost, and is stopped at its time limit', async () => {
  const { baton, fix } = await worktree({
    cleanup: 'touch ../ran; sleep 600',
    cleanupTimeoutSec: 1,
  });
  writeFileSync(join(fix, 'unsaved.txt'), 'x');
  const refused = await baton('workspaces', 'remove', 'fix');
  expect(refused.stderr).toContain('1 file with uncommitted changes');
  expect(existsSync(join(fix, '../ran'))).toBe(false);
  rmSync(join(fix, 'unsaved.txt'));
  const stopped = await baton('workspaces', 'remove', 'fix');
  expect(stopped.stderr).toContain('The cleanup was stopped after 1 s.');
  expect(existsSync(fix)).toBe(true);
});

test('scripts of a project that nobody trusts do not run', async () => {
  const script = 'touch "$BATON_REPOSITORY/ran"';
  const made = await worktree(
    { cleanup: script, devServer: script, setup: script },
    { isTrusted: false },
  );
  const { baton, cwd, fix } = made;
  for (const word of ['dev', 'setup']) {
    const { code, stderr } = await baton('workspaces', word, 'fix');
    expect(code).toBe(2);
    expect(stderr).toContain('the folder is not trusted');
  }
  expect((await baton('workspaces', 'remove', 'fix')).code).toBe(0);
  expect(existsSync(fix)).toBe(false);
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test('a setup that failed runs again, and its exit code is that of the command', async () => {
  const setup = 'echo trying; test -e "$BATON_REPOSITORY/fixed" || exit 7';
  const { baton, cwd, run } = await worktree({ setup });
  expect(run.code).toBe(1);
  expect((await baton('workspaces', 'show', 'fix')).stdout).toMatch(/problem +The setup exited/);
  const again = await baton('workspaces', 'setup', 'fix');
  expect(again).toMatchObject({ code: 7, stdout: '' });
  expect(again.stderr).toContain('trying\n');
  writeFileSync(join(cwd, 'fixed'), '');
  const { code, stdout } = await baton('workspaces', 'setup', 'fix', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'ready', setup: { exit_code: 0 } });
});

const SERVER = [
  'node',
  '-e',
  'require("http").createServer((_, r) => r.end("hello")).listen(process.env.WEB_PORT, () => console.log(process.env.WEB_PORT))',
];
/** The world has only the system's folders in its PATH. */
const NODE = [process.execPath, ...SERVER.slice(1)];

test('the dev server gets its port, prints its address, and ends with Ctrl-C', async () => {
  const { world, first } = await worktree({ devServer: NODE, ports: ['WEB_PORT'] });
  const child = world.start({ args: ['workspaces', 'dev', 'fix'] });
  const ended = world.finish(child);
  const port = await first(child);
  expect(await (await fetch(`http://localhost:${port}`)).text()).toBe('hello');
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain(`WEB_PORT: http://localhost:${port}\n`);
  await expect(fetch(`http://localhost:${port}`)).rejects.toThrow();
});

test('a worktree has one dev server, which another terminal or a removal stops', async () => {
  const { world, baton, first, fix } = await worktree({
    devServer: 'sleep 600 & one=$!; (setsid sleep 600 & echo "$one $!"); wait; sleep 600',
  });
  const start = async () => {
    const child = world.start({ args: ['workspaces', 'dev', 'fix'] });
    const closed = once(child, 'close');
    const pids = (await first(child)).split(' ');
    expect(pids.filter(isRunning)).toHaveLength(2);
    return { closed, pids };
  };
  // These commands run beside others, so they cannot check that nothing is left.
  const beside = async (...args: string[]) => {
    const child = world.start({ args });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk));
    const [code] = await once(child, 'close');
    return { code, text };
  };
  const one = await start();
  const second = await beside('workspaces', 'dev', 'fix');
  expect(second.code).toBe(1);
  expect(second.text).toContain('already runs');
  expect((await beside('workspaces', 'dev', 'fix', '--stop')).text).toContain('Stopped');
  await one.closed;
  expect(one.pids.filter(isRunning)).toEqual([]);
  expect((await baton('workspaces', 'dev', 'fix', '--stop')).stdout).toContain('No dev server');
  const again = await start();
  expect((await beside('workspaces', 'remove', 'fix')).code).toBe(0);
  await again.closed;
  expect(again.pids.filter(isRunning)).toEqual([]);
  expect(existsSync(fix)).toBe(false);
});

test('what a killed command left of a dev server ends with the next one', async () => {
  const { world, first } = await worktree({ devServer: 'sleep 600 & echo $!; wait' });
  const child = world.start({ args: ['workspaces', 'dev', 'fix'] });
  const closed = once(child, 'close');
  const pid = await first(child);
  child.kill('SIGKILL');
  await closed;
  expect(isRunning(pid)).toBe(true);
  const next = world.start({ args: ['workspaces', 'dev', 'fix'] });
  const ended = world.finish(next);
  const other = await first(next);
  expect(isRunning(pid)).toBe(false);
  next.kill('SIGTERM');
  expect((await ended).code).toBe(130);
  expect(isRunning(other)).toBe(false);
});
