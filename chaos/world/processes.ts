import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentEvent, spoolEvents } from '@baton/protocol';

/** A process of a round, known by a variable that all of them inherit. */
export type Found = {
  pid: number;
  parent: number;
  command: string;
  /** Of the executor that it is or belongs to; nothing for the daemon. */
  executorId: string | undefined;
};

/** Finds everything that carries a mark in its environment. */
export function processesWith(mark: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const environment = read(`/proc/${name}/environ`);
      const [state, parent] = statOf(name);
      if (!environment.includes(mark) || state === 'Z') return [];
      const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim();
      // An agent has a mark of its own in front of the one that it inherits from its executor.
      const marks = [...environment.matchAll(/BATON_RUN_(\w{8}_\w{4}_\w{4}_\w{4}_\w{12})=/g)];
      const executorId = marks.at(-1)?.[1]?.replaceAll('_', '-');
      return [{ pid: Number(name), parent: Number(parent), command, executorId }];
    });
}

/** Kills an executor, and returns the path of its spool and the events in it at that moment. */
export async function killWithSpool(
  pid: number,
): Promise<{ spool: string | undefined; events: AgentEvent[] }> {
  process.kill(pid, 'SIGSTOP');
  while (!['T', 'Z', undefined].includes(statOf(pid)[0])) await pause(1);
  const spool = spoolOf(pid);
  const events = spool === undefined ? [] : spoolEvents(read(spool));
  process.kill(pid, 'SIGKILL');
  return { spool, events };
}

/** Sends a signal; a process that is gone already is no matter. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

function spoolOf(pid: number): string | undefined {
  const files = `/proc/${pid}/fd`;
  return list(files)
    .map((name) => {
      try {
        return readlinkSync(`${files}/${name}`);
      } catch {
        return '';
      }
    })
    .find((path) => path.endsWith('.spool'));
}

/** The letter of its state, its parent and more; nothing when it is gone. */
function statOf(pid: number | string): string[] {
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ').filter(Boolean) ?? [];
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
