import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from './sqlite.ts';

/** Holds a new database for itself until it is told that somebody is about to open it, and a moment longer. */
const HOLDER = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData);
  database.exec('begin exclusive; create table held (a text)');
  parentPort.once('message', () => setTimeout(() => database.exec('commit'), 200));
  parentPort.postMessage('held');
`;

/** Opens new databases, each at the same time as the others of its kind. */
const OPENER = `
  const { parentPort, workerData: { module, path, rounds, openers, met } } = require('node:worker_threads');
  import(module).then(async ({ openSqlite }) => {
    const problems = [];
    for (let round = 0; round < rounds; round += 1) {
      Atomics.add(met, round, 1);
      while (Atomics.load(met, round) < openers);
      try {
        await openSqlite(path + round).close();
      } catch (error) {
        problems.push(error.message);
      }
    }
    parentPort.postMessage(problems);
  });
`;

test('waits for a new database that another process is creating', async () => {
  const path = newPath();
  const holder = new Worker(HOLDER, { eval: true, workerData: path });
  const gone = once(holder, 'exit');
  await once(holder, 'message');
  holder.postMessage('opening');
  const engine = openSqlite(path);
  expect(engine.kind).toBe('sqlite');
  await engine.close();
  await gone;
});

test('several who open a new database at the same time all get it', async () => {
  const rounds = 40;
  const openers = 3;
  const met = new Int32Array(new SharedArrayBuffer(4 * rounds));
  const module = new URL('./sqlite.ts', import.meta.url).href;
  const workerData = { module, path: newPath(), rounds, openers, met };
  const opening = Array.from({ length: openers }, async () => {
    const worker = new Worker(OPENER, { eval: true, workerData });
    const [problems] = await once(worker, 'message');
    return problems;
  });
  expect((await Promise.all(opening)).flat()).toEqual([]);
});

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'baton.db');
}
