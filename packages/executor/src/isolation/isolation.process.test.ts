import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Registry } from '@baton/agents/registry/registry';
import type { Confine } from '@baton/engine/definition/backend';
import { unixAccount } from '@baton/process';
import { bubblewrap } from '@baton/process/isolation/bubblewrap';
import { confinement, type Isolation } from '@baton/process/isolation/isolation';
import { asUnixUser } from '@baton/process/isolation/unix-user';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bubblewrapProblem } from '../testing/bubblewrap.ts';

const DEMO = { backends: new Registry().entries(), backend: 'demo' };

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const noSandbox = await bubblewrapProblem();

/** A test that is left out, with a reason, where it cannot be done. */
function testUnless(problem: string | undefined) {
  return (name: string, act: () => void | Promise<void>) =>
    test(name, async (context) => {
      if (problem) context.skip(problem);
      await act();
    });
}
const sandboxed = testUnless(noSandbox);
const byRoot = testUnless(isRoot ? undefined : 'only root can start programs as another user');

let root: string;
let workspace: string;
let secret: string;

beforeEach(() => {
  root = mkdtempSync('/var/tmp/baton-isolation-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  chmodSync(root, 0o755);
  workspace = join(root, 'workspace');
  mkdirSync(workspace);
  chmodSync(workspace, 0o777);
  mkdirSync(join(root, 'daemon'));
  secret = join(root, 'daemon/master.key');
  writeFileSync(secret, 'the key', { mode: 0o600 });
});

/** Runs a shell in place of the agent, and returns its output; rejects if the shell fails. */
async function inside(confine: Confine | undefined, script: string): Promise<string> {
  const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace };
  const { file, args } = confine?.(command) ?? command;
  const { stdout } = await run(file, args, { cwd: workspace });
  return stdout.trim();
}

const isolation = (more: Partial<Isolation>): Isolation => ({
  mode: 'none',
  network: true,
  unix_user: null,
  hidden: [join(root, 'daemon')],
  ...more,
});

test('without isolation an agent can do what its user can', async () => {
  const confine = await confinement(isolation({}), DEMO);
  expect(confine).toBeUndefined();
  expect(await inside(confine, `cat ${secret}`)).toBe('the key');
  await inside(confine, `touch ${root}/outside`);
  expect(existsSync(join(root, 'outside'))).toBe(true);
});

describe('in a sandbox', () => {
  sandboxed('an agent writes its folder and nothing else', async () => {
    const confine = await confinement(isolation({ mode: 'bubblewrap' }), DEMO);
    await inside(confine, 'echo hello > made.txt');
    expect(existsSync(join(workspace, 'made.txt'))).toBe(true);
    await expect(inside(confine, `echo x > /usr/made`)).rejects.toThrow(/Read-only/);
    await inside(
      confine,
      'echo x > /tmp/mine; mount -o remount,rw / || true; echo x > /usr/made || true',
    );
    expect(existsSync('/usr/made')).toBe(false);
    expect(existsSync('/tmp/mine')).toBe(false);
  });

  sandboxed('an agent does not see what belongs to the daemon', async () => {
    const confine = await confinement(isolation({ mode: 'bubblewrap' }), DEMO);
    await expect(inside(confine, `cat ${secret}`)).rejects.toThrow();
    // Nor what another agent knows.
    const other = join(root, 'other');
    writeFileSync(other, 'login');
    const hiding = bubblewrap({ network: true, writable: [], hidden: [other] });
    await expect(inside(hiding, `cat ${other}`)).rejects.toThrow();
  });

  sandboxed('an agent cannot work in what is hidden from it, also behind a link', () => {
    const link = join(root, 'link');
    symlinkSync(join(root, 'daemon'), link);
    const confine = bubblewrap({ network: true, writable: [], hidden: [join(root, 'daemon')] });
    for (const cwd of [join(root, 'daemon'), link]) {
      expect(() => confine({ file: '/bin/sh', args: [], cwd })).toThrow('cannot work in');
    }
    const throughLink = bubblewrap({ network: true, writable: [], hidden: [link] });
    const cwd = join(root, 'daemon');
    expect(() => throughLink({ file: '/bin/sh', args: [], cwd })).toThrow('cannot work in');
  });

  sandboxed('an agent finds no way to other programs of its user', async () => {
    const confine = bubblewrap({ network: true, writable: [], hidden: [] });
    process.env.SSH_AUTH_SOCK = '/run/agent.sock';
    onTestFinished(() => {
      delete process.env.SSH_AUTH_SOCK;
    });
    expect(await inside(confine, 'ls /run; echo "$SSH_AUTH_SOCK"')).not.toContain('.sock');
  });

  sandboxed('an agent sees no process but its own', async () => {
    const confine = bubblewrap({ network: true, writable: [], hidden: [] });
    const pids = await inside(confine, 'ls -d /proc/[0-9]* | wc -l');
    expect(Number(pids)).toBeLessThan(6);
    await expect(inside(confine, `cat /proc/${process.pid}/environ`)).rejects.toThrow();
  });

  sandboxed('an agent writes its own state, and reads the files of its run', async () => {
    const own = join(root, 'state');
    const files = join(root, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'config'), 'yes');
    const confine = bubblewrap({ network: true, writable: [own], hidden: [] });
    const withFiles: Confine = (command) => confine({ ...command, files });
    expect(await inside(withFiles, `echo x > ${own}/kept; cat ${files}/config`)).toBe('yes');
    expect(existsSync(join(own, 'kept'))).toBe(true);
    await expect(inside(withFiles, `echo x > ${files}/more`)).rejects.toThrow();
  });

  sandboxed('an agent reaches the network, or does not', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const ask = `'${process.execPath}' -e 'fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log)'`;
    const sandbox = { writable: [], hidden: [] };
    expect(await inside(bubblewrap({ ...sandbox, network: true }), ask)).toBe('hello');
    await expect(inside(bubblewrap({ ...sandbox, network: false }), ask)).rejects.toThrow();
  });
});

sandboxed(
  'an agent that is installed among temporary files works, in a folder behind a link',
  async () => {
    const folder = mkdtempSync('/tmp/baton-installed-');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, 'agent');
    writeFileSync(program, '#!/bin/sh\npwd; echo x > made.txt', { mode: 0o755 });
    const link = join(root, 'link');
    symlinkSync(workspace, link);
    const confine = bubblewrap({ network: true, writable: [], hidden: [] });
    const { file, args } = confine({ file: program, args: [], cwd: link });
    expect((await run(file, args)).stdout.trim()).toBe(workspace);
    expect(existsSync(join(workspace, 'made.txt'))).toBe(true);
  },
);

describe('as another user', () => {
  byRoot('an agent cannot read what is not for everybody, nor touch its executor', async () => {
    const confine = asUnixUser('nobody');
    expect(await inside(confine, 'id -un')).toBe('nobody');
    expect(await inside(confine, 'echo $USER')).toBe('nobody');
    await inside(confine, 'echo hello > made.txt');
    await expect(inside(confine, `cat ${secret}`)).rejects.toThrow(/Permission denied/);
    await expect(inside(confine, `kill -0 ${process.pid}`)).rejects.toThrow();
    await expect(inside(confine, `cat /proc/${process.pid}/environ`)).rejects.toThrow();
  });

  byRoot('an agent reads the private files of its run', async () => {
    const files = join(root, 'files');
    mkdirSync(files, { mode: 0o700 });
    writeFileSync(join(files, 'config'), 'yes', { mode: 0o600 });
    const confine = asUnixUser('nobody');
    const withFiles: Confine = (command) => confine({ ...command, files });
    expect(await inside(withFiles, `cat ${files}/config`)).toBe('yes');
  });

  byRoot('a variable of the loader reaches the agent, and nothing that runs as root', async () => {
    const folder = join(root, 'loaded');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const asked = {
      PATH: '/usr/bin:/bin',
      LD_DEBUG: 'libs',
      LD_DEBUG_OUTPUT: join(folder, 'trace'),
    };
    const script = { file: '/bin/sh', args: ['-c', 'echo "$LD_DEBUG"'], cwd: workspace };
    const { file, args, env } = asUnixUser('nobody')({ ...script, env: asked });
    const { stdout } = await run(file, args, { cwd: workspace, env: { ...env } });
    expect(stdout.trim()).toBe('libs');
    const owners = readdirSync(folder).map((name) => statSync(join(folder, name)).uid);
    expect(new Set(owners)).toEqual(new Set([unixAccount('nobody').uid]));
  });

  byRoot(
    'a link that takes the place of the folder does not lead where the user may not go',
    async () => {
      const open = join(root, 'daemon/open');
      mkdirSync(open);
      chmodSync(join(root, 'daemon'), 0o700);
      writeFileSync(join(open, 'file'), 'of root');
      const command = { file: '/bin/cat', args: ['file'], cwd: workspace };
      const { file, args, cwd } = asUnixUser('nobody')(command);
      // Exactly between the check of the folder and the start of the agent.
      rmSync(workspace, { recursive: true });
      symlinkSync(open, workspace);
      await expect(run(file, args, { cwd: cwd ?? workspace })).rejects.toThrow(
        /can't cd|Permission denied/,
      );
    },
  );

  byRoot('files that were given to the user once are not given again through a link', () => {
    const files = join(root, 'files');
    mkdirSync(files, { mode: 0o700 });
    writeFileSync(join(files, 'config'), 'yes', { mode: 0o600 });
    const confine = asUnixUser('nobody');
    const command = { file: '/bin/true', args: [], cwd: workspace, files };
    confine(command);
    expect(statSync(join(files, 'config')).uid).toBe(unixAccount('nobody').uid);
    symlinkSync(secret, join(files, 'link'));
    confine(command);
    expect(statSync(secret).uid).toBe(0);
  });

  byRoot('somebody who is not there, or root, is refused', () => {
    expect(() => asUnixUser('nobody-there')).toThrow(/Invalid Unix user/);
    expect(() => asUnixUser('root')).toThrow(/Invalid Unix user/);
    expect(() => asUnixUser(null)).toThrow(/Invalid Unix user/);
  });
});
