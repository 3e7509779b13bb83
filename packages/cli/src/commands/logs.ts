import type { BatonClient, FoundId } from '@baton/client';
import { BatonError, type LogEvent } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../arguments/command.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { printLog } from '../remote/log-text.ts';
import { readLog } from '../remote/read-log.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { drained } from '../terminal/drained.ts';
import { safe } from '../view/style.ts';

export const logs: Command = {
  name: 'logs',
  summary: 'Print the transcript of a session or task from the beginning.',
  usage: 'baton logs SESSION|TASK [options]',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'follow: until the task ends, or Ctrl-C for a session',
    },
    json: { type: 'boolean', about: 'print events as JSON, one per line' },
    raw: { type: 'boolean', about: "print the agent's raw output" },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Tool output is truncated; use --json for everything.',
    'With --raw, each line is prefixed with 1 for stdout or 2 for stderr.',
    'Control sequences are stripped on a terminal and kept in a pipe.',
    'For a session, --raw prints the output of all its tasks in order.',
  ],
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'session or task', logs.usage);
    const isRaw = isSet(parsed, 'raw');
    if (isRaw && (isSet(parsed, 'json') || isSet(parsed, 'follow'))) {
      throw new BatonError('usage', '--raw cannot be combined with --json or --follow.');
    }
    return withDaemon(logs, parsed, async (client) => {
      const found = await findOne(client, text, ['session', 'task']);
      if (isRaw) await printRaw(client, found);
      else await printLog(eventsOf(client, found, parsed), isSet(parsed, 'json'));
      return 0;
    });
  },
};

async function printRaw(client: BatonClient, found: FoundId): Promise<void> {
  for await (const task_id of taskIdsOf(client, found)) {
    for (let after = 0, more = true; more; ) {
      const page = await client.tasks.rawOutput({ task_id, after });
      for (const { part, text } of page.parts) {
        process.stdout.write(process.stdout.isTTY ? safe(text) : text);
        await drained(process.stdout);
        after = part;
      }
      more = page.more && page.parts.length > 0;
    }
  }
}

async function* taskIdsOf(client: BatonClient, { kind, id }: FoundId): AsyncGenerator<string> {
  if (kind === 'task') return yield id;
  for await (const event of readLog(client, await client.sessions.get(id))) {
    if (event.type === 'prompt.queued') yield event.taskId;
  }
}

async function* eventsOf(
  client: BatonClient,
  found: FoundId,
  parsed: Parsed,
): AsyncGenerator<LogEvent> {
  const session = await client.sessions.get(found.session_id);
  const all = isSet(parsed, 'follow')
    ? client.follow(session.session_id, { onConnection: tellLine })
    : readLog(client, session);
  for await (const event of all) {
    if (found.kind === 'session') yield event;
    else if ('taskId' in event && event.taskId === found.id) {
      yield event;
      if (event.type === 'run.completed') return;
    }
  }
}

function tellLine(state: 'lost' | 'back'): void {
  const words = state === 'lost' ? 'Lost connection to the daemon. Reconnecting…' : 'Reconnected.';
  process.stderr.write(`${words}\n`);
}
