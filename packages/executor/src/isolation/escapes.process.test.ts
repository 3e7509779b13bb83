import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Registry } from '@baton/agents/registry/registry';
import { confinement } from '@baton/process/isolation/isolation';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { bubblewrapProblem } from '../testing/bubblewrap.ts';

const DEMO = { backends: new Registry().entries(), backend: 'demo' };

const run = promisify(execFile);
/** Folder that executors are started from. */
const BATON = join(import.meta.dirname, '../../../process/src');
const noSandbox = await bubblewrapProblem();

let root: string;
let workspace: string;

beforeEach(() => {
  root = mkdtempSync('/var/tmp/baton-escape-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  workspace = join(root, 'workspace');
  mkdirSync(workspace);
  mkdirSync(join(root, 'daemon'));
  writeFileSync(join(root, 'daemon/master.key'), 'the key', { mode: 0o600 });
});

/** Runs a shell in place of an agent, and returns its exit code and output. */
async function inside(script: string): Promise<{ code: number; printed: string }> {
  const isolation = { mode: 'bubblewrap' as const, network: true, unix_user: null };
  const confine = await confinement({ ...isolation, hidden: [join(root, 'daemon')] }, DEMO);
  const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace };
  const { file, args } = confine?.(command) ?? command;
  return run(file, args, { cwd: workspace }).then(
    ({ stdout }) => ({ code: 0, printed: stdout.trim() }),
    ({ code, stdout }) => ({ code, printed: String(stdout).trim() }),
  );
}

/** Writes a kernel file with its current value, so that a success does no harm. */
const rewrite = (path: string) => `v=$(cat ${path}) && echo "$v" > ${path}`;

/** Commands that an agent could run to leave its sandbox; exit code 0 is a successful escape. */
const ESCAPES: Readonly<Record<string, () => string>> = {
  'writes kernel/core_pattern': () => rewrite('/proc/sys/kernel/core_pattern'),
  'writes kernel/hostname': () => rewrite('/proc/sys/kernel/hostname'),
  'writes kernel/panic': () => rewrite('/proc/sys/kernel/panic'),
  'writes kernel/modprobe': () => rewrite('/proc/sys/kernel/modprobe'),
  'writes vm/overcommit_memory': () => rewrite('/proc/sys/vm/overcommit_memory'),
  'writes fs/suid_dumpable': () => rewrite('/proc/sys/fs/suid_dumpable'),
  'uses the magic system request key': () => 'test -w /proc/sysrq-trigger',
  'sets the host name': () => `hostname ${hostname()}`,
  'mounts a file system': () => 'mount -t tmpfs none /mnt',
  'mounts the machine writable': () => 'mount -o remount,rw /',
  'unmounts what hides /proc/sys': () => 'umount /proc/sys || umount -l /proc/sys',
  'unmounts what hides the daemon': () => `umount ${root}/daemon`,
  'mounts a new /proc in namespaces of its own': () =>
    `unshare -Urmpf --mount-proc sh -c '${rewrite('/proc/sys/kernel/core_pattern')}'`,
  'enters the namespaces of process 1': () => 'nsenter -t 1 -m -- true',
  'signals the process that started it': () => `kill -0 ${process.pid}`,
  'reads the environment of another process': () => `cat /proc/${process.pid}/environ`,
  'reads the memory of another process': () => `head -c 1 /proc/${process.pid}/mem`,
  'reads the key of the daemon': () => `cat ${root}/daemon/master.key`,
  'reads the key through process 1': () => `cat /proc/1/root${root}/daemon/master.key`,
  'reads the key through another process': () =>
    `cat /proc/${process.pid}/root${root}/daemon/master.key`,
  'writes outside through process 1': () => 'echo x > /proc/1/root/usr/escaped',
  'writes a control group': () => 'mkdir /sys/fs/cgroup/escaped',
  'makes a device': () => 'mknod sda b 8 0',
  'becomes another user': () => 'setpriv --reuid 1 true',
};

test('no known way out of a sandbox works', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const ways: string[] = [];
  for (const [what, script] of Object.entries(ESCAPES)) {
    if ((await inside(script())).code === 0) ways.push(what);
  }
  expect(ways).toEqual([]);
});

test('a sandbox has namespaces of its own and no way to more rights', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  for (const name of ['user', 'pid', 'ipc', 'uts', 'mnt']) {
    const { printed } = await inside(`readlink /proc/self/ns/${name}`);
    expect(printed).toMatch(/^\w+:\[\d+\]$/);
    expect(printed).not.toBe((await run('readlink', [`/proc/self/ns/${name}`])).stdout.trim());
  }
  const { printed } = await inside('cat /proc/self/status');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
    expect(printed).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'));
  }
  expect(printed).toMatch(/^NoNewPrivs:\s+1$/m);
});

test('nothing in /proc can be written but what belongs to processes', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const { printed } = await inside(
    "find /proc -mindepth 1 '(' -path '/proc/[0-9]*' -o -name self -o -name thread-self ')' -prune -o -type f -writable -print",
  );
  expect(printed).toBe('');
});

test('a shell in a sandbox runs at all', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  expect(await inside('echo hello')).toEqual({ code: 0, printed: 'hello' });
  expect(await inside('exit 3')).toEqual({ code: 3, printed: '' });
});

/** Folders that hold the machine or Baton's own data, or lead there. */
function forbiddenFolders(): string[] {
  const links = ['/', root].map((target, index) => {
    const link = join(workspace, `link-${index}`);
    symlinkSync(target, link);
    return link;
  });
  const system = ['/proc', '/proc/sys/kernel', '/sys', '/dev', '/run', '/etc', '/usr', '/usr/bin'];
  return ['/', homedir(), root, join(root, 'daemon'), BATON, ...links, ...system];
}

/** Those of them in which an agent could work. */
async function usable(mode: 'bubblewrap' | 'user'): Promise<string[]> {
  const isolation = { mode, network: true, unix_user: 'nobody', hidden: [join(root, 'daemon')] };
  const confine = await confinement(isolation, DEMO);
  return forbiddenFolders().filter((cwd) => {
    try {
      confine?.({ file: '/bin/sh', args: [], cwd });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(cwd) });
      return false;
    }
  });
}

test('a sandbox is never made by a program from the workspace', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  const bin = join(workspace, 'node_modules/.bin');
  const mark = join(root, 'planted');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await inside('echo hello')).toEqual({ code: 0, printed: 'hello' });
  expect(existsSync(mark)).toBe(false);
});

test('an agent in a sandbox cannot work behind a link that its folder has become', async () => {
  const folder = join(workspace, 'package');
  mkdirSync(folder);
  const isolation = { mode: 'bubblewrap' as const, network: true, unix_user: null, hidden: [] };
  const confine = await confinement(isolation, DEMO);
  rmSync(folder, { recursive: true });
  symlinkSync('/var/tmp', folder);
  expect(() => confine?.({ file: '/bin/sh', args: [], cwd: folder })).toThrow(
    'it is now a symbolic link to /var/tmp',
  );
});

test('an agent in a sandbox cannot work in / or around the data of Baton', async (context) => {
  if (noSandbox) context.skip(noSandbox);
  expect(await usable('bubblewrap')).toEqual([]);
});

test('an agent of another user cannot work in / or around the data of Baton', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can start programs as another user');
  expect(await usable('user')).toEqual([]);
});
