import { type Entry, foldTranscript, type LogEvent, markdownOf } from '@baton/protocol';
import { type Command, isSet } from '../arguments/command.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { readLog } from '../remote/read-log.ts';
import { fileHead, fileLine } from '../remote/session-file.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { drained } from '../terminal/drained.ts';
import { unparsedWords } from '../view/transcript-view.ts';

export const exportSession: Command = {
  name: 'export',
  summary: 'Export a session to stdout, for "baton import" or as Markdown.',
  usage: 'baton export SESSION [--markdown] > FILE',
  options: {
    markdown: { type: 'boolean', about: 'write a Markdown transcript instead of events' },
    ...DAEMON_OPTIONS,
  },
  notes: ['A running session is exported up to its latest event.'],
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'session', exportSession.usage);
    return withDaemon(exportSession, parsed, async (client) => {
      const { id } = await findOne(client, text, ['session']);
      const session = await client.sessions.get(id);
      if (isSet(parsed, 'markdown')) {
        const events: LogEvent[] = [];
        for await (const event of readLog(client, session)) events.push(event);
        const attachments = await client.attachments.find({ session_id: id });
        const entries = foldTranscript(events);
        process.stdout.write(markdownOf(session, entries, attachments) + unparsedPart(entries));
        return 0;
      }
      process.stdout.write(fileLine(fileHead(session)));
      for await (const event of readLog(client, session)) {
        process.stdout.write(fileLine(event));
        await drained(process.stdout);
      }
      return 0;
    });
  },
};

/** Unrecognized lines are only in the events. */
function unparsedPart(entries: readonly Entry[]): string {
  const count = entries.reduce(
    (sum, entry) => sum + (entry.kind === 'unparsed' ? entry.count : 0),
    0,
  );
  return count === 0
    ? ''
    : `\n_${unparsedWords(count)}; "baton export" without --markdown has them_\n`;
}
