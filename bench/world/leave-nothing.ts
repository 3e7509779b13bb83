import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const children = new Map<ChildProcess, NodeJS.Signals>();
const folders = new Set<string>();

process.once('exit', () => {
  for (const [child, signal] of children) end(child, signal);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Remembers a child that must not outlive the benchmarks, and the signal that ends it. */
export function track<Child extends ChildProcess>(
  child: Child,
  signal: NodeJS.Signals = 'SIGKILL',
): Child {
  children.set(child, signal);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Makes a folder that is gone when the benchmarks have ended, however they end. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-bench-')));
  folders.add(folder);
  return folder;
}

/** Ends a child with its group, if it has one of its own. */
function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}
