import type { BatonClient, FoundId } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { type Command, isSet, type Parsed } from '../command.ts';
import { drained } from '../drained.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { logText } from '../remote/log-text.ts';
import { readLog } from '../remote/read-log.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';

export const logs: Command = {
  name: 'logs',
  summary: 'Print what was said and done in a session or a task, from its beginning.',
  usage: 'baton logs SESSION|TASK [options]',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'go on as it grows: a task to its end, a session until Ctrl-C',
    },
    json: { type: 'boolean', about: 'print the events, one per line, as JSON' },
    ...DAEMON_OPTIONS,
  },
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'session or task', logs.usage);
    return withDaemon(logs, parsed, async (client) => {
      const found = await findOne(client, text, ['session', 'task']);
      const print = isSet(parsed, 'json') ? (event: LogEvent) => JSON.stringify(event) : logText;
      for await (const event of eventsOf(client, found, parsed)) {
        const line = print(event);
        if (line === undefined) continue;
        process.stdout.write(`${line}\n`);
        await drained(process.stdout);
      }
      return 0;
    });
  },
};

async function* eventsOf(
  client: BatonClient,
  found: FoundId,
  parsed: Parsed,
): AsyncGenerator<LogEvent> {
  const session = await client.sessions.get(found.session_id);
  const all = isSet(parsed, 'follow')
    ? client.follow(session.session_id, { onLine: tellLine })
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
  const words = state === 'lost' ? 'The daemon does not answer; waiting for it.' : 'It is back.';
  process.stderr.write(`${words}\n`);
}
