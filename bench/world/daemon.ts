import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Place } from '../daemon/place.ts';
import { track } from './leave-nothing.ts';
import { NODE, ROOT } from './paths.ts';

/** A server in a process of its own. */
export type ServerWorld = Place & { pid: number; end(): Promise<void> };

/** Starts one of the servers in `bench/children`, and waits until it can be used. */
export async function serverWorld(
  program: 'daemon' | 'daemon-without-storage' | 'echo',
  args: readonly string[] = [],
): Promise<ServerWorld> {
  const path = join(ROOT, `bench/children/${program}.ts`);
  const child = track(spawn(NODE, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }));
  const ended = once(child, 'exit');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ]);
  return {
    ...(JSON.parse(line) as Place),
    pid: child.pid ?? 0,
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
