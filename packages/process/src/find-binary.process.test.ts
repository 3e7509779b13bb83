import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Returns the answer that an ordinary user gets when looking for a program. */
function answerTo(search: object, env: object): string {
  const module = join(import.meta.dirname, 'find-binary.ts');
  const script = `
    const { findBinary } = await import(${JSON.stringify(module)});
    if (process.getuid() === 0) process.seteuid(65534);
    try {
      console.log(findBinary(${JSON.stringify(search)}, ${JSON.stringify({ cwd: '/', env })}).path);
    } catch ({ code, message }) {
      console.log(code + ': ' + message);
    }`;
  const args = ['--input-type=module', '-e', script];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim();
}

test('a folder of PATH that the user cannot enter has no programs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o000 });
  onTestFinished(() => chmodSync(closed, 0o700));
  const env = { PATH: `${closed}:${folder}:/bin`, HOME: folder };
  expect(answerTo({ name: 'no-such-agent' }, env)).toMatch(/^backend_not_found: no-such-agent was/);
  expect(answerTo({ name: 'cat' }, env)).toBe('/bin/cat');
  expect(answerTo({ name: 'x', explicit: join(closed, 'x') }, env)).toMatch(
    /^backend_not_found: .*Cannot access .*permission denied/,
  );
});
