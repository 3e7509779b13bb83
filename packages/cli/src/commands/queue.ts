import type { BatonClient } from '@baton/client';
import { type Command, isSet, type Parsed } from '../arguments/command.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

const USAGE = 'baton queue SESSION | resume SESSION | clear SESSION';
const AT_ONCE = 1000;

export const queue: Command = {
  name: 'queue',
  summary: 'List the queued tasks of a session, resume a paused queue, or clear it.',
  usage: USAGE,
  words: ['resume', 'clear'],
  options: {
    json: { type: 'boolean', about: 'print as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: ['Stopping the running task of a session pauses its queue.'],
  async run(parsed) {
    const [word, ...rest] = parsed.positionals;
    const act = word === 'resume' || word === 'clear' ? word : 'list';
    const named = act === 'list' ? parsed.positionals : rest;
    const text = onlyArgument(named, 'session', USAGE);
    return withDaemon(queue, parsed, async (client) => {
      const { id } = await findOne(client, text, ['session']);
      process.stdout.write(await ACTIONS[act](client, id, parsed));
      return 0;
    });
  },
};

type Action = (client: BatonClient, sessionId: string, parsed: Parsed) => Promise<string>;

const ACTIONS: Readonly<Record<'list' | 'resume' | 'clear', Action>> = {
  async list(client, id, parsed) {
    const { queue_paused } = await client.sessions.get(id);
    const query = { session_id: id, status: 'QUEUED', sort: 'oldest', limit: AT_ONCE } as const;
    const { data } = await client.tasks.find(query);
    if (isSet(parsed, 'json')) return json({ queue_paused, tasks: data });
    if (data.length === 0) return `No tasks are queued in session ${shortId(id)}.\n`;
    const rows = data.map(({ task_id, created_at, description }) => [
      { text: shortId(task_id), format: 'bold' as const },
      ago(created_at),
      description,
    ]);
    const paused = `The queue is paused. Resume it with "baton queue resume ${shortId(id)}".\n`;
    const table = tableText(process.stdout, ['TASK', 'QUEUED', 'PROMPT'], rows);
    return queue_paused ? table + paused : table;
  },
  async resume(client, id, parsed) {
    const { queue_paused: wasPaused } = await client.sessions.get(id);
    const session = await client.sessions.resumeQueue(id);
    if (isSet(parsed, 'json')) return json(session);
    return wasPaused
      ? `Resumed the queue of session ${shortId(id)}.\n`
      : `The queue of session ${shortId(id)} is not paused.\n`;
  },
  async clear(client, id, parsed) {
    const { cleared, session } = await client.sessions.clearQueue(id);
    if (isSet(parsed, 'json')) return json({ cleared, session });
    const count = cleared.length === 1 ? '1 queued task' : `${cleared.length} queued tasks`;
    return `Cancelled ${count} of session ${shortId(id)}.\n`;
  },
};

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
