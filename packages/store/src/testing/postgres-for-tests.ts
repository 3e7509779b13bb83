import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Variable with the path of the socket that the first of several projects has opened. */
const DOOR = 'BATON_POSTGRES_FOR_TESTS';

declare module 'vitest' {
  interface ProvidedContext {
    /** Socket that returns a new database of the PostgreSQL server that all tests share; the suite `unit` has none. */
    postgres: string | undefined;
  }
}

/** Shares one PostgreSQL server between all tests. It is started lazily, because a new server takes seconds. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const open = process.env[DOOR];
  if (open) {
    project.provide('postgres', open);
    return async () => {};
  }
  const folder = mkdtempSync(join(tmpdir(), 'baton-door-'));
  const path = join(folder, 'socket');
  process.env[DOOR] = path;
  let server: Promise<TestPostgres> | undefined;
  const newDatabase = async () => {
    server ??= startPostgres({ isKilled: false });
    return (await server).database();
  };
  const door = createServer((socket) => {
    newDatabase().then(
      (url) => socket.end(JSON.stringify({ url })),
      (error) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve) => door.listen(path, resolve));
  project.provide('postgres', path);
  return async () => {
    door.close();
    await (await server)?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
