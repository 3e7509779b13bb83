import { raceTimer } from '@baton/process/time/race-timer';

/** Time in which a person at a terminal can press Ctrl-C a second time. */
const SECOND_PRESS_MS = 5000;

/** The tasks of a daemon that has to stop. */
type TaskCounts = { running: number; awaitingInput: number; queued: number };

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * Settles when the daemon has to stop: on a signal, or when the program that started it is gone. Tells whether its tasks
 * have to stop too, which only a second Ctrl-C or `--stop-tasks` asks for.
 */
export async function untilStopped(
  countTasks: () => Promise<TaskCounts>,
  stopsTasks: boolean,
): Promise<boolean> {
  const first = Promise.withResolvers<StopSignal>();
  const again = Promise.withResolvers<StopSignal>();
  // They stay installed: a signal must not end a daemon that is about to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    let heard = 0;
    process.on(signal, () => {
      heard += 1;
      first.resolve(signal);
      if (heard > 1 || signal !== 'SIGINT') again.resolve(signal);
    });
  }
  if (process.channel) process.once('disconnect', () => first.resolve('SIGHUP'));
  // A terminal that was closed takes no words.
  process.stderr.on('error', () => {});
  const signal = await first.promise;
  const counts = await countTasks().catch(() => undefined);
  if (stopsTasks) return tellStop(counts);
  const isAttended = signal === 'SIGINT' && process.stdin.isTTY === true;
  tellKept(counts, isAttended);
  if (signal !== 'SIGINT') return false;
  const waitMs = isAttended && hasAgents(counts) ? SECOND_PRESS_MS : 0;
  if (!(await raceTimer([again.promise], waitMs))) return false;
  return (await again.promise) === 'SIGINT' ? tellStop(counts) : false;
}

function tellStop(counts: TaskCounts | undefined): true {
  const { running = 0, awaitingInput = 0 } = counts ?? {};
  process.stderr.write(`Stopping the daemon and ${tasks(running + awaitingInput)}.\n`);
  return true;
}

function tellKept(counts: TaskCounts | undefined, isAttended: boolean): void {
  const kept = counts ? words(counts) : [];
  process.stderr.write('Stopping the daemon.\n');
  if (kept.length === 0) return;
  process.stderr.write(`Its tasks are kept: ${kept.join(', ')}. The next start takes them over.\n`);
  if (!hasAgents(counts)) return;
  const how = isAttended
    ? `Press Ctrl-C again within ${SECOND_PRESS_MS / 1000} seconds to stop them.`
    : 'To stop them with the daemon, start it with --stop-tasks.';
  process.stderr.write(`${how}\n`);
}

/** Queued tasks have no agent that could be stopped. */
function hasAgents(counts: TaskCounts | undefined): boolean {
  return counts !== undefined && counts.running + counts.awaitingInput > 0;
}

function words({ running, awaitingInput, queued }: TaskCounts): string[] {
  return [
    ...(running > 0 ? [`${running} running (they continue)`] : []),
    ...(awaitingInput > 0 ? [`${awaitingInput} awaiting input`] : []),
    ...(queued > 0 ? [`${queued} queued`] : []),
  ];
}

function tasks(count: number): string {
  return count === 1 ? '1 task' : `${count} tasks`;
}
