import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { resolvedOptions } from '../../testing/resolved-options.ts';
import { unreadInstructions } from './settings.ts';

let home: string;
let cwd: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-instructions-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  cwd = join(home, 'repository/package');
  mkdirSync(cwd, { recursive: true });
});

const unread = (trust: object = {}) =>
  unreadInstructions(
    resolvedOptions(cwd, {
      env: { HOME: home },
      trust: { folder: cwd, trusted: false, settings: [], ...trust },
    }),
  ).map(({ data }) => data);

describe('instructions that Claude does not read in an untrusted folder', () => {
  test.each([
    ['of a folder above', '../CLAUDE.md'],
    ['for this user only', 'CLAUDE.local.md'],
    ['for this user only, of a folder above', '../CLAUDE.local.md'],
  ])('are named: those %s', (_name, path) => {
    writeFileSync(join(cwd, path), 'Be brief.');
    expect(unread()).toEqual([{ unread: [path] }]);
    expect(unread({ trusted: true })).toEqual([]);
    expect(unread({ decidedBy: 'user' })).toEqual([]);
  });

  test('are not those of the folder itself, nor of the user', () => {
    writeFileSync(join(cwd, 'CLAUDE.md'), 'Be brief.');
    writeFileSync(join(home, 'CLAUDE.md'), 'Be kind.');
    expect(unread()).toEqual([]);
  });
});
