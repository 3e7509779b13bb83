import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withoutOutsideFiles } from './file-mentions.ts';

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'mentions-')));
  onTestFinished(() => rmSync(made, { recursive: true }));
  mkdirSync(join(made, 'work/src'), { recursive: true });
  symlinkSync('/etc', join(made, 'work/link'));
  return join(made, 'work');
}

test.each([
  '/etc/passwd',
  '~/.ssh/id_rsa',
  '~root/x',
  '../other.txt',
  'src/../../other.txt',
  './../other.txt',
  'link/passwd',
  '/etc/passwd#L1-2',
  '"/etc/my file"',
  '"../my file"',
  '/',
  '..',
])('@%s loses its @', (name) => {
  const cwd = folder();
  for (const [before, after] of [
    ['', ''],
    ['Look at ', ' please'],
    ['(', ')'],
    ['a\n', '\n@src/in.ts'],
    ['@', ''],
  ]) {
    const { text, outside } = withoutOutsideFiles(`${before}@${name}${after}`, cwd);
    expect(text).not.toContain(`@${name}`);
    expect(text).toContain(name);
    expect(outside).toHaveLength(1);
  }
});

test.each([
  '@src/in.ts',
  '@./src',
  '@"src/my file"',
  '@agent-reviewer',
  '@server:resource://x',
  'mail me@../x.org or a@example.org',
  'npm install @types/node',
  '@',
  '@ /etc/passwd',
])('%j stays as it is', (prompt) => {
  expect(withoutOutsideFiles(prompt, folder())).toEqual({ text: prompt, outside: [] });
});

test('a file in the workspace that is named by its whole path stays', () => {
  const cwd = folder();
  const prompt = `@${cwd}/src/in.ts and @${cwd}`;
  expect(withoutOutsideFiles(prompt, cwd).text).toBe(prompt);
});
