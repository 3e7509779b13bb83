import type { BatonClient, FoundId } from '@baton/client';
import { isFinal, TASK_STATUSES } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { type StopEnd, stopTasks } from '../remote/stop-tasks.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { safe } from '../view/style.ts';

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));
const AT_ONCE = 1000;

export const stop: Command = {
  name: 'stop',
  summary: 'Stop a task, or all running and queued tasks of a session.',
  usage: 'baton stop TASK|SESSION [options]',
  options: {
    reason: { type: 'string', value: 'TEXT', about: 'reason, stored with the task' },
    'no-wait': { type: 'boolean', about: 'do not wait for the stop to finish' },
    json: { type: 'boolean', about: 'print the outcome of each task as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Waits until the agent and all its descendant processes are gone.',
    'Exit codes: 0 stopped or already ended, 1 could not verify that no process is left.',
  ],
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'task or session', stop.usage);
    return withDaemon(stop, parsed, async (client) => {
      const found = await findOne(client, text, ['task', 'session']);
      const ends = await stopTasks(client, {
        sessionId: found.session_id,
        taskIds: await tasksOf(client, found),
        reason: textOf(parsed, 'reason'),
        wait: !isSet(parsed, 'no-wait'),
      });
      tell(parsed, found, ends);
      return ends.some(({ end }) => end === 'unverified') ? EXIT.failed : EXIT.done;
    });
  },
};

/**
 * Returns the tasks to stop. Queued tasks come first, newest first, so that none starts while the others are stopped.
 */
async function tasksOf(client: BatonClient, found: FoundId): Promise<string[]> {
  if (found.kind === 'task') return [found.id];
  const query = { session_id: found.id, status: OPEN, limit: AT_ONCE };
  const { data } = await client.tasks.find(query);
  const waiting = data.filter(({ status }) => status === 'QUEUED');
  const active = data.filter(({ status }) => status !== 'QUEUED');
  return [...waiting, ...active].map(({ task_id }) => task_id);
}

function tell(parsed: Parsed, found: FoundId, ends: readonly StopEnd[]): void {
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(ends, null, 2)}\n`);
    return;
  }
  if (ends.length === 0)
    process.stdout.write(`No running tasks in session ${shortId(found.id)}.\n`);
  for (const end of ends) process.stdout.write(`Task ${shortId(end.task_id)} ${words(end)}\n`);
}

function words({ end, status, reason }: StopEnd): string {
  switch (end) {
    case 'cancelled':
      return 'cancelled; no agent was running.';
    case 'stopping':
      return 'is stopping.';
    case 'ended':
      return `had already ended: ${status.toLowerCase()}.`;
    case 'finished':
      return `finished before it could be stopped: ${status.toLowerCase()}.`;
    case 'stopped':
      return 'stopped; no processes left.';
    case 'unverified':
      return `ended, but some of its processes may still be running: ${safe(reason ?? 'could not check.')}`;
  }
}
