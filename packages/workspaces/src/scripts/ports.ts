import { createServer } from 'node:net';
import { BatonError } from '@baton/protocol/values';
import type { WorkspaceFiles } from '../worktree/workspace-files.ts';

/** Below the ports that systems give to outgoing connections. */
const [FIRST, LAST] = [20_000, 29_999];
const MAX_ATTEMPTS = 500;

/**
 * Gives a workspace a port for each variable, free on this machine and unlike those of all other workspaces. Ports that
 * it already has stay. Writes them to its record.
 */
export async function assignPorts(
  files: WorkspaceFiles,
  id: string,
  variables: readonly string[],
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const unlock = await files.lockNames(signal);
  try {
    const { ports } = files.get(id);
    const missing = variables.filter((name) => ports[name] === undefined);
    if (missing.length === 0) return ports;
    const taken = new Set(files.list().flatMap((record) => Object.values(record.ports)));
    const added: Record<string, number> = {};
    for (const name of missing) {
      const port = await freePort(taken);
      taken.add(port);
      added[name] = port;
    }
    return files.change(id, { ports: { ...ports, ...added } }).ports;
  } finally {
    unlock();
  }
}

async function freePort(taken: ReadonlySet<number>): Promise<number> {
  const count = LAST - FIRST + 1;
  // From a random place on: a port that was in use a moment ago is not the next one.
  const start = Math.floor(Math.random() * count);
  for (let n = 0; n < MAX_ATTEMPTS; n++) {
    const port = FIRST + ((start + n) % count);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new BatonError('no_resources', `No free port between ${FIRST} and ${LAST} was found.`, {
    hint: 'Remove workspaces that are no longer used.',
  });
}

/** True if nothing listens on the port, on any address of this machine. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::', '0.0.0.0']) {
    if (!(await canListen(port, host))) return false;
  }
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
  server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
