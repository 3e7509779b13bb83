import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CodeCache } from './code-cache.ts';

const wrapped = (body: string) =>
  `(function (exports, require, module, __filename, __dirname) {${body}})`;
const SOURCE = wrapped(`
  const { sep } = require('node:path');
  exports.twice = (n) => 2 * n;
  exports.place = [sep, __filename, __dirname];
  exports.other = () => require('./other.js');`);
const OTHER = wrapped(`module.exports = { name: 'other', back: require('./program.js') };`);

let folder: string;
let program: string;
let cache: string;
let kept: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-code-cache-'));
  program = join(folder, 'program');
  cache = join(folder, 'cache', 'baton-this-node-v1');
  kept = join(cache, 'program.js.code');
  mkdirSync(program);
  writeFileSync(join(program, 'program.js'), SOURCE);
  writeFileSync(join(program, 'other.js'), OTHER);
});

afterEach(() => rmSync(folder, { recursive: true }));

type Program = { twice(n: number): number; place: string[]; other(): unknown };

function load(): { codeCache: CodeCache; loaded: Program } {
  const codeCache = new CodeCache({ program, cache, require: createRequire(program) });
  return { codeCache, loaded: codeCache.require('./program.js') as Program };
}

function saved(...parts: string[]): Buffer {
  load().codeCache.save(new Set(parts));
  return readFileSync(kept);
}

const partsIn = (content: Buffer) =>
  JSON.parse(content.subarray(-1024).toString('utf8').trim()).parts;

describe('a program that is loaded with a code cache', () => {
  test('gets the CommonJS variables, with and without the cache', () => {
    for (const round of [1, 2]) {
      const { loaded, codeCache } = load();
      expect(loaded.twice(round)).toBe(2 * round);
      expect(loaded.place).toEqual(['/', join(program, 'program.js'), program]);
      expect(loaded.other()).toEqual({ name: 'other', back: loaded });
      expect(loaded.other()).toBe(loaded.other());
      codeCache.save(new Set(['all']));
    }
    expect(readdirSync(cache).sort()).toEqual(['other.js.code', 'program.js.code']);
  });

  test('caches its code once for each used part', () => {
    saved('run', 'demo');
    expect(partsIn(saved('demo'))).toEqual(['run', 'demo']);
    expect(partsIn(saved('doctor'))).toEqual(['run', 'demo', 'doctor']);
  });

  test('is not written again when nothing is new', () => {
    saved('run');
    utimesSync(kept, 1, 1);
    saved('run');
    expect(statSync(kept).mtimeMs).toBe(1000);
  });

  test('runs whatever happens to a byte of the cache', () => {
    const good = saved('run');
    for (let at = 0; at < good.length; at += 61) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0xff;
      writeFileSync(kept, bad);
      expect(load().loaded.twice(at)).toBe(2 * at);
    }
  });

  test.each([0, 1, 500, 1024, 1025, 2000])('runs with a cache cut to %i bytes', (length) => {
    writeFileSync(kept, saved('run').subarray(0, length));
    expect(load().loaded.twice(4)).toBe(8);
  });

  test('runs where no cache can be written', () => {
    writeFileSync(join(folder, 'cache'), 'not a folder');
    const { loaded, codeCache } = load();
    codeCache.save(new Set(['run']));
    expect(loaded.twice(5)).toBe(10);
    expect(readdirSync(folder).sort()).toEqual(['cache', 'program']);
  });

  test('runs without any cache', () => {
    const codeCache = new CodeCache({ program, cache: undefined, require: createRequire(program) });
    expect((codeCache.require('./program.js') as Program).twice(6)).toBe(12);
    codeCache.save(new Set(['run']));
    expect(readdirSync(folder)).toEqual(['program']);
  });

  test.each(['5', '{}', '"run"', 'null'])('runs with a cache whose parts are %s', (parts) => {
    const good = saved('run');
    const footer = Buffer.alloc(1024, ' ');
    footer.write(`{"parts":${parts}}`);
    writeFileSync(kept, Buffer.concat([good.subarray(0, -1024), footer]));
    expect(load().loaded.twice(7)).toBe(14);
  });

  test('does not wait for a writer of a pipe', () => {
    mkdirSync(cache, { recursive: true });
    execFileSync('mkfifo', [kept]);
    expect(load().loaded.twice(8)).toBe(16);
  });

  test('makes no folder in the home of another user', ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a folder to another user');
    chownSync(folder, 54_321, 54_321);
    load().codeCache.save(new Set(['run']));
    expect(readdirSync(folder)).toEqual(['program']);
  });

  test('removes what a process left that died while it wrote', () => {
    saved('run');
    const [old, fresh] = [`${kept}.draft-1`, `${kept}.draft-2`];
    for (const draft of [old, fresh]) writeFileSync(draft, '');
    utimesSync(old, 1, 1);
    saved('doctor');
    expect(readdirSync(cache).sort()).toEqual(['program.js.code', 'program.js.code.draft-2']);
  });

  test('keeps the caches of at most three other versions', () => {
    for (const [age, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      mkdirSync(join(folder, 'cache', `mine ${name}`), { recursive: true });
      const other = join(folder, 'cache', `baton-${name}-node-v1`);
      mkdirSync(other, { recursive: true });
      utimesSync(other, 100 - age, 100 - age);
    }
    saved('run');
    const left = readdirSync(join(folder, 'cache'));
    expect(left.filter((name) => name.startsWith('baton-')).sort()).toEqual(
      ['a', 'b', 'c', 'this'].map((name) => `baton-${name}-node-v1`),
    );
    expect(left.filter((name) => name.startsWith('mine'))).toHaveLength(5);
  });
});
