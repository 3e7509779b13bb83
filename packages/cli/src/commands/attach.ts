import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { type Command, isSet } from '../command.ts';
import { drained } from '../drained.ts';
import { attachSession, placeOf } from '../remote/attach-session.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { countOf } from '../remote/list-options.ts';
import { logText, UnparsedCount } from '../remote/log-text.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';

const DEFAULT_LAST = 20;

export const attach: Command = {
  name: 'attach',
  summary: 'Watch a session live, and answer what its agent asks.',
  usage: 'baton attach SESSION [options]',
  options: {
    last: {
      type: 'string',
      short: 'n',
      value: 'N',
      about: `begin with the last N entries of its transcript (${DEFAULT_LAST})`,
    },
    verbose: { type: 'boolean', short: 'v', about: 'also show all notices' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Ctrl-C leaves the session; its task runs on. A daemon that is lost is waited for.',
    'In a pipe the transcript is printed as it grows, and nobody is asked.',
  ],
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'session', attach.usage);
    const last = countOf(parsed, 'last', 0) ?? DEFAULT_LAST;
    const verbose = isSet(parsed, 'verbose');
    return withDaemon(attach, parsed, async (client) => {
      const { session_id } = await findOne(client, text, ['session', 'task']);
      const session = await client.sessions.get(session_id);
      if (process.stdout.isTTY) await attachSession(client, session, { last, verbose });
      else await printOn(client, session, last);
      return 0;
    });
  },
};

async function printOn(
  client: BatonClient,
  { session_id }: SessionRecord,
  last: number,
): Promise<void> {
  const { after } = await placeOf(client, session_id, last);
  const unparsed = new UnparsedCount();
  for await (const event of client.follow(session_id, { after })) {
    for (const line of [unparsed.see(event), logText(event)]) {
      if (line !== undefined) process.stdout.write(`${line}\n`);
    }
    await drained(process.stdout);
  }
}
