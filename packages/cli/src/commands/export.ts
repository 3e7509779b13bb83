import { foldTranscript, type LogEvent, markdownOf } from '@baton/protocol';
import { type Command, isSet } from '../command.ts';
import { drained } from '../drained.ts';
import { findOne, onlyArgument } from '../remote/find-one.ts';
import { readLog } from '../remote/read-log.ts';
import { fileHead, fileLine } from '../remote/session-file.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';

export const exportSession: Command = {
  name: 'export',
  summary: 'Write a session to standard output, whole: for "baton import", or for people to read.',
  usage: 'baton export SESSION [--markdown] > FILE',
  options: {
    markdown: { type: 'boolean', about: 'write a transcript to read instead of the events' },
    ...DAEMON_OPTIONS,
  },
  notes: ['A session that is at work is written as far as it is now.'],
  async run(parsed) {
    const text = onlyArgument(parsed.positionals, 'session', exportSession.usage);
    return withDaemon(exportSession, parsed, async (client) => {
      const { id } = await findOne(client, text, ['session']);
      const session = await client.sessions.get(id);
      if (isSet(parsed, 'markdown')) {
        const events: LogEvent[] = [];
        for await (const event of readLog(client, session)) events.push(event);
        const attachments = await client.attachments.find({ session_id: id });
        process.stdout.write(markdownOf(session, foldTranscript(events), attachments));
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
