import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestWorld } from './world.ts';

type Crash = {
  operation:
    | ('train' | 'create' | 'turn' | 'remove' | 'restore' | 'commit' | 'merge')
    | ('checkpoint' | 'undo' | 'turn begin' | 'turn end' | 'reconcile');
  /** Number of calls of git after which the process kills itself, before the next one. */
  call?: number | undefined;
  /** Folder of a turn, a checkpoint or an undo. */
  cwd?: string | undefined;
  /** Session of these, which has one turn. */
  session?: string | undefined;
  /** Files that the agent writes in a turn. */
  edits?: Readonly<Record<string, string>> | undefined;
  /** The step after which the process kills itself. */
  step?: string | undefined;
  /** Milliseconds after the start of the operation at which the process is killed, wherever it is. */
  afterMs?: number | undefined;
  id?: string | undefined;
  name?: string | undefined;
  method?: string | undefined;
};

/** Runs an operation in a process that is killed with SIGKILL; returns true if that happened before its end. */
export async function crashAt(world: TestWorld, { afterMs, ...crash }: Crash): Promise<boolean> {
  const { state, root, worktrees } = world;
  const input = JSON.stringify({ ...crash, state, root, worktrees });
  const program = new URL('./crash-program.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, input], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  let timer: NodeJS.Timeout | undefined;
  child.stdout.once('data', () => {
    if (afterMs !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(stderr);
  return signal === 'SIGKILL';
}
