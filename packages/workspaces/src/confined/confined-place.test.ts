import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Isolation } from '@baton/process/isolation/isolation';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { confinedPlace } from './confined-place.ts';

const COMMAND = { file: '/usr/bin/node', args: ['main.js', 'workspace-helper'] };

let home: string;

beforeEach(() => {
  // A sandbox has a /tmp of its own, and no session in /dev, where temporary folders can be.
  home = realpathSync(mkdtempSync('/var/tmp/baton-place-'));
  const { HOME, PATH } = process.env;
  onTestFinished(() => {
    Object.assign(process.env, { HOME, PATH });
    rmSync(home, { recursive: true });
  });
  // Not every machine has bubblewrap; nothing is started here.
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/bwrap'), '#!/bin/sh\n', { mode: 0o755 });
  Object.assign(process.env, { HOME: home, PATH: [join(home, 'bin'), PATH].join(delimiter) });
});

const isolation = (mode: Isolation['mode']): Isolation => ({
  ...{ mode, network: true, unix_user: null },
  hidden: [join(home, 'daemon')],
});

test('a helper in a sandbox writes the repository and the state of Baton, and sees no secret', async () => {
  const repository = join(home, 'app');
  for (const each of ['app/.git/objects', 'app/part', 'daemon', 'agent']) {
    mkdirSync(join(home, each), { recursive: true });
  }
  writeFileSync(join(repository, '.git/HEAD'), 'ref: refs/heads/main\n');
  const backends = [{ id: 'demo', ownPaths: async () => [join(home, 'agent')] }];
  const folder = join(repository, 'part');
  const options = { isolation: isolation('bubblewrap'), backends, command: COMMAND };
  const place = await confinedPlace(options, { folder });
  const { file, args = [] } = place?.confine({ ...COMMAND, cwd: folder }) ?? {};
  expect(file).toMatch(/\/bwrap$/);
  const pathsAfter = (flag: string) => args.filter((_, n) => args[n - 1] === flag);
  expect(args).toContain('--unshare-net');
  expect(pathsAfter('--bind').sort()).toEqual(
    [
      ...[repository, join(repository, '.git'), folder],
      ...[join(home, '.baton/workspaces'), join(home, 'baton-workspaces')],
    ].sort(),
  );
  expect(pathsAfter('--tmpfs')).toEqual(
    expect.arrayContaining([join(home, 'daemon'), join(home, 'agent')]),
  );
  expect(args.slice(args.lastIndexOf('--') + 1)).toEqual([COMMAND.file, ...COMMAND.args]);
});

test('a program that cannot start helpers opens no file of an isolated session', async () => {
  const options = { backends: [], command: undefined };
  expect(await confinedPlace({ ...options, isolation: isolation('none') }, {})).toBeUndefined();
  await expect(
    confinedPlace({ ...options, isolation: isolation('bubblewrap') }, { folder: home }),
  ).rejects.toMatchObject({ code: 'config_invalid' });
});
