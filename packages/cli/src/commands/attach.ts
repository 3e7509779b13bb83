import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { type Command, isSet } from '../arguments/command.ts';
import { attachSession, placeOf } from '../remote/attach-session.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { countOf } from '../remote/list-options.ts';
import { logText } from '../remote/log-text.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { drained } from '../terminal/drained.ts';
import { UnparsedCount } from '../view/transcript-view.ts';

const DEFAULT_LAST = 20;

export const attach: Command = {
  name: 'attach',
  summary: 'Watch a session live and answer its requests.',
  usage: 'baton attach SESSION [options]',
  options: {
    last: {
      type: 'string',
      short: 'n',
      value: 'N',
      about: `start with the last N transcript entries (${DEFAULT_LAST})`,
    },
    verbose: { type: 'boolean', short: 'v', about: 'also show all notices' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Ctrl-C detaches; the task keeps running. Reconnects if the daemon goes away.',
    'Without a terminal, prints the transcript as it grows and does not prompt.',
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
