import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
const { bin } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
/** As in Node 20: it has another version and cannot read TypeScript. */
const OLD_NODE = `
  Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });
  import('node:module').then(({ registerHooks }) => registerHooks({
    load(url, context, next) {
      if (url.endsWith('.ts')) throw new TypeError('Unknown file extension ".ts"');
      return next(url, context);
    },
  }));`;

test.each([['run', 'hi'], ['--version'], []])(
  'the command in a clone tells an old Node the required version: %j',
  (...args) => {
    const pretend = ['--import', `data:text/javascript,${encodeURIComponent(OLD_NODE)}`];
    const program = [...pretend, join(PACKAGE, bin.baton), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error \(usage\): .* requires Node 24 .* is 20\.1\.0\.\nhint: .*\n$/);
  },
);
