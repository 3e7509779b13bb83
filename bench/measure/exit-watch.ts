import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { track } from '../world/leave-nothing.ts';
import { NODE, ROOT } from '../world/paths.ts';

/** Tells when a process has ended, as another process saw it; the time is that of `performance`. */
export async function watchExit(pid: number): Promise<{ exitedAt: Promise<number> }> {
  const program = join(ROOT, 'bench/children/watch-exit.ts');
  const child = track(
    spawn(NODE, [program, String(pid)], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  let printed = '';
  const begun = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
    begun.resolve();
  });
  const exitedAt = once(child, 'close').then(() => {
    const [, time] = printed.split('\n');
    return Number(time) - performance.timeOrigin;
  });
  await begun.promise;
  return { exitedAt };
}

/** The process that carries the marker of a run and is a child of this one. */
export function agentOf(runId: string): number {
  const marker = `BATON_RUN_${runId}=1`;
  const pid = readdirSync('/proc').find(
    (name) =>
      /^\d+$/.test(name) &&
      read(`/proc/${name}/stat`).split(') ')[1]?.split(' ')[1] === String(process.pid) &&
      read(`/proc/${name}/environ`).split('\0').includes(marker),
  );
  if (!pid) throw new Error('The agent was not found.');
  return Number(pid);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
