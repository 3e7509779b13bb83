import type { BatonClient, FoundId } from '@baton/client';
import { isFinal, TASK_STATUSES } from '@baton/protocol';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { type StopEnd, stopTasks } from '../remote/stop-tasks.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { safe } from '../view/style.ts';

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));
const AT_ONCE = 1000;

export const stop: Command = {
  name: 'stop',
  summary: 'Stop a task, or everything that runs and waits in a session.',
  usage: 'baton stop TASK|SESSION [options]',
  options: {
    reason: { type: 'string', value: 'TEXT', about: 'why; it is kept with the task' },
    'no-wait': { type: 'boolean', about: 'do not wait until it has stopped' },
    json: { type: 'boolean', about: 'print what became of each task as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'It waits until the agent and everything that it started is gone, and says what was achieved.',
    'Exit codes: 0 stopped or ended before, 1 it could not be verified that nothing is left.',
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

/** What waits comes first, the last first: nothing may begin while the rest is stopped. */
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
  if (ends.length === 0) process.stdout.write(`Nothing runs in session ${shortId(found.id)}.\n`);
  for (const end of ends) process.stdout.write(`Task ${shortId(end.task_id)} ${words(end)}\n`);
}

function words({ end, status, reason }: StopEnd): string {
  switch (end) {
    case 'cancelled':
      return 'had not begun, and never will.';
    case 'stopping':
      return 'is being stopped.';
    case 'ended':
      return `had ended before: ${status.toLowerCase()}.`;
    case 'finished':
      return `ended by itself before it could be stopped: ${status.toLowerCase()}.`;
    case 'stopped':
      return 'is stopped, with everything that it started.';
    case 'unverified':
      return `has ended, but something of it may still run: ${safe(reason ?? 'nobody could look.')}`;
  }
}
