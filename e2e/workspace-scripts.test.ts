import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspacesWire } from '@baton/protocol/wire';
import { expect, test } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { serveIn } from '../packages/cli/src/testing/served.ts';
import { bubblewrapProblem } from '../packages/executor/src/testing/bubblewrap.ts';
import { world } from './workspace-world.ts';

const noSandbox = await bubblewrapProblem();

/** A trusted project with these scripts, and a session in a worktree of it. */
async function worktree(
  workspace: object,
  {
    fails = false,
    root,
    env,
  }: { fails?: boolean; root?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const made = await world({ 'baton.json': JSON.stringify({ workspace }) }, { root, env });
  const { client, repository, run, session } = made;
  await client.trustedFolders.create({ folder: repository, trusted: true });
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'fix' } });
  if (fails) {
    const { task_id } = await client.sessions.executeTask(session_id, { prompt: 'Hi' });
    await (await client.join(task_id)).collect();
  } else {
    await run(session_id, [{ say: 'Done.' }]);
  }
  const record = (await client.sessions.get(session_id)).workspace;
  const { workspace_id = '', path = '' } = record ?? {};
  const dev = async () => (await client.workspaces.scripts(workspace_id)).dev_server.run;
  return { ...made, workspace_id, path, dev };
}

/** A server that also leaves a process in a session of its own, whose id is in the file "pids". */
const SERVER = [
  process.execPath,
  '-e',
  `const { spawn } = require('node:child_process');
   const other = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
   require('node:fs').writeFileSync(process.env.BATON_REPOSITORY + '/pids', process.pid + ' ' + other.pid);
   require('node:http').createServer((_, r) => r.end('hello')).listen(process.env.WEB_PORT, () => console.log('listening'));`,
];

async function served(made: Awaited<ReturnType<typeof worktree>>) {
  const { client, workspace_id, repository, dev } = made;
  const started = await client.workspaces.startScript({ workspace_id, script: 'dev_server' });
  expect(workspacesWire.startScript.result.safeParse(started).error?.issues).toBeUndefined();
  await expect.poll(async () => (await dev())?.output).toEqual(['listening']);
  const pids = readFileSync(join(repository, 'pids'), 'utf8').split(' ');
  expect(pids.filter(isRunning)).toHaveLength(2);
  const url = `http://localhost:${started.ports.WEB_PORT}`;
  return { pids, url };
}

test('a dev server runs with its port until it is stopped, once per worktree', async () => {
  const made = await worktree({ devServer: SERVER, ports: ['WEB_PORT'] });
  const { client, workspace_id, dev } = made;
  expect(await client.workspaces.scripts(workspace_id)).toMatchObject({
    dev_server: { is_configured: true, run: null },
    setup: { is_configured: false, run: null },
  });
  const { pids, url } = await served(made);
  expect(await (await fetch(url)).text()).toBe('hello');
  const again = client.workspaces.startScript({ workspace_id, script: 'dev_server' });
  await expect(again).rejects.toMatchObject({ code: 'conflict' });
  await client.workspaces.stopScript({ workspace_id, script: 'dev_server' });
  expect(await dev()).toMatchObject({ state: 'stopped', exit_code: null });
  expect(pids.filter(isRunning)).toEqual([]);
});

test('a dev server that ends says its exit code and its last lines', async () => {
  const { client, workspace_id, dev } = await worktree({ devServer: 'echo no module >&2; exit 4' });
  await client.workspaces.startScript({ workspace_id, script: 'dev_server' });
  await expect.poll(dev).toMatchObject({ state: 'exited', exit_code: 4, output: ['no module'] });
});

test('the daemon ends its dev servers when it stops', async () => {
  const made = await worktree({ devServer: SERVER, ports: ['WEB_PORT'] });
  const { pids } = await served(made);
  const gone = once(made.served.child, 'exit');
  made.served.child.kill('SIGTERM');
  await gone;
  expect(pids.filter(isRunning)).toEqual([]);
});

test('the next daemon ends the dev servers of one that was killed', async () => {
  const made = await worktree({ devServer: SERVER, ports: ['WEB_PORT'] });
  const { pids } = await served(made);
  const gone = once(made.served.child, 'exit');
  made.served.child.kill('SIGKILL');
  await gone;
  expect(pids.filter(isRunning)).toHaveLength(2);
  await serveIn(join(made.home, 'state'), 0, [], { HOME: made.home });
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

test('a removal stops the dev server and runs the cleanup, which can refuse it', async () => {
  const cleanup = 'echo dropping; test -e "$BATON_REPOSITORY/may-go" || exit 5';
  const made = await worktree({ devServer: SERVER, ports: ['WEB_PORT'], cleanup });
  const { client, workspace_id, repository, path } = made;
  const { pids } = await served(made);
  await expect(client.workspaces.removeWorktree({ workspace_id })).rejects.toMatchObject({
    code: 'cleanup_failed',
    message: expect.stringMatching(/The cleanup exited with 5\.(.|\n)*dropping/),
  });
  expect(pids.filter(isRunning)).toEqual([]);
  expect(existsSync(path)).toBe(true);
  writeFileSync(join(repository, 'may-go'), '');
  const removed = await client.workspaces.removeWorktree({ workspace_id });
  expect(workspacesWire.removeWorktree.result.safeParse(removed).error?.issues).toBeUndefined();
  expect(removed).toMatchObject({
    state: 'removed',
    cleanup: { exit_code: 0, problem: null, output: ['dropping'] },
  });
  expect(existsSync(path)).toBe(false);
});

test('a setup that failed runs again on request, with its output', async () => {
  const setup = 'echo trying; test -e "$BATON_REPOSITORY/fixed" || exit 6';
  const { client, workspace_id, repository } = await worktree({ setup }, { fails: true });
  const again = async () => {
    await client.workspaces.startScript({ workspace_id, script: 'setup' });
    await expect
      .poll(async () => (await client.workspaces.scripts(workspace_id)).setup.run?.state)
      .toBe('exited');
    return (await client.workspaces.scripts(workspace_id)).setup.run;
  };
  expect(await again()).toMatchObject({
    exit_code: 6,
    problem: 'The setup exited with 6.',
    output: ['trying'],
  });
  writeFileSync(join(repository, 'fixed'), '');
  expect(await again()).toMatchObject({ exit_code: 0, problem: null, output: ['trying'] });
  const [listed] = await client.workspaces.find();
  expect(listed).toMatchObject({ setup: { exit_code: 0 } });
});

test('scripts run in the isolation of agents', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const look = 'cat "$HOME/state/master.key" 2>/dev/null || echo hidden';
  // Not in the folder for temporary files, which a sandbox hides anyway.
  const made = await worktree({ devServer: look }, { root: '/var/tmp' });
  const { client, workspace_id, dev } = made;
  const ended = async () => {
    await client.workspaces.startScript({ workspace_id, script: 'dev_server' });
    await expect.poll(async () => (await dev())?.state).toBe('exited');
    return (await dev())?.output;
  };
  expect(await ended()).not.toEqual(['hidden']);
  await client.settings.patch('executors.isolation', 'bubblewrap');
  expect(await ended()).toEqual(['hidden']);
});

test('settings and files of a setup are read in the isolation of agents', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const workspace = {
    setup: 'cp own.txt made.txt && echo made',
    copy: ['own.txt'],
    cache: { key: ['b.txt'], paths: ['made.txt'] },
  };
  const made = await worktree(workspace, { root: '/var/tmp', fails: true });
  const { client, home, repository, workspace_id, path } = made;
  await client.settings.patch('executors.isolation', 'bubblewrap');
  const setup = async () => (await client.workspaces.scripts(workspace_id)).setup;
  const again = async () => {
    await client.workspaces.startScript({ workspace_id, script: 'setup' });
    await expect.poll(async () => (await setup()).run?.state).toBe('exited');
    return (await setup()).run;
  };
  writeFileSync(join(repository, 'own.txt'), 'own\n');
  expect(await again()).toMatchObject({ exit_code: 0, problem: null, output: ['made'] });
  expect(readFileSync(join(path, 'made.txt'), 'utf8')).toBe('own\n');
  rmSync(join(path, 'made.txt'));
  expect((await again())?.output).toEqual(['The result of the setup script came from the cache.']);
  // The sandbox hides the folder of the daemon, which the daemon itself can read.
  const hidden = join(home, 'state/baton.json');
  writeFileSync(hidden, JSON.stringify({ workspace }));
  rmSync(join(repository, 'baton.json'));
  symlinkSync(hidden, join(repository, 'baton.json'));
  expect((await setup()).is_configured).toBe(false);
  await client.settings.patch('executors.isolation', 'none');
  expect((await setup()).is_configured).toBe(true);
});

/** Variables of a daemon that its agents do not get, and one that they get unless they are isolated. */
const OF_DAEMON = {
  OPENAI_ADMIN_KEY: '-',
  BATON_SECRET: '-',
  AWS_SECRET_ACCESS_KEY: '-',
  TEST_VARIABLE: '-',
};
const PRINT_VARIABLES = `env | grep -oE '^(${Object.keys(OF_DAEMON).join('|')})=' | sort; echo end`;

test('scripts have no variables of the daemon that agents do not get', async (context) => {
  const scripts = { setup: PRINT_VARIABLES, devServer: PRINT_VARIABLES };
  const made = await worktree(scripts, { root: '/var/tmp', env: OF_DAEMON });
  const { client, workspace_id } = made;
  const printed = async (script: 'setup' | 'dev_server') => {
    await client.workspaces.startScript({ workspace_id, script });
    const run = async () => (await client.workspaces.scripts(workspace_id))[script].run;
    await expect.poll(async () => (await run())?.state).toBe('exited');
    return (await run())?.output;
  };
  const known = ['AWS_SECRET_ACCESS_KEY=', 'TEST_VARIABLE=', 'end'];
  expect(await printed('dev_server')).toEqual(known);
  expect(await printed('setup')).toEqual(known);
  if (noSandbox) context.skip(noSandbox);
  await client.settings.patch('executors.isolation', 'bubblewrap');
  expect(await printed('dev_server')).toEqual(['end']);
  expect(await printed('setup')).toEqual(['end']);
});

test('a cleanup script has no variables of the daemon that agents do not get', async () => {
  const made = await worktree({ cleanup: PRINT_VARIABLES }, { env: OF_DAEMON });
  const { client, workspace_id } = made;
  const { cleanup } = await client.workspaces.removeWorktree({ workspace_id });
  expect(cleanup?.output).toEqual(['AWS_SECRET_ACCESS_KEY=', 'TEST_VARIABLE=', 'end']);
});
