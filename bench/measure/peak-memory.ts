import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { track } from '../world/leave-nothing.ts';
import { NODE } from '../world/paths.ts';

const LOOK_EVERY_MS = 5;
const KB_PER_MB = 1024;

/** Runs Node with some arguments, reads all it prints, and gives the most memory it ever had, in MB. */
export async function peakMemory(args: readonly string[], cwd: string): Promise<number> {
  const child = track(spawn(NODE, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] }));
  child.stdout.resume();
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, highWaterMark(child.pid));
  }, LOOK_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(looking);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return peak;
}

/** The system keeps the mark, so it does not matter when one looks; after the end there is none. */
function highWaterMark(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / KB_PER_MB;
  } catch {
    return 0;
  }
}
