import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { track } from './leave-nothing.ts';
import { NODE, ROOT } from './paths.ts';

let running: Promise<{ url: string }> | undefined;

/** The fake model that all benchmarks share; it answers at once. */
export function fakeModel(): Promise<{ url: string }> {
  running ??= start();
  return running;
}

async function start(): Promise<{ url: string }> {
  const program = join(ROOT, 'bench/children/model.ts');
  const child = track(spawn(NODE, [program], { stdio: ['pipe', 'pipe', 'inherit'] }));
  const [line] = await once(child.stdout, 'data');
  child.unref();
  return { url: String(line).trim() };
}
