import { type Command, isSet } from '../command.ts';
import { onlyArgument, shortId } from '../remote/find-one.ts';
import { importFile } from '../remote/import-file.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';

export const importSession: Command = {
  name: 'import',
  summary: 'Take a session over from a file that "baton export" wrote; for owners.',
  usage: 'baton import FILE',
  options: { json: { type: 'boolean', about: 'print the session as JSON' }, ...DAEMON_OPTIONS },
  notes: [
    '"-" reads from standard input. Importing the same file again changes nothing.',
    'Tasks that had not ended are ended as interrupted. What the agent itself remembers stays where it was.',
  ],
  async run(parsed) {
    const path = onlyArgument(parsed.positionals, 'file', importSession.usage);
    return withDaemon(importSession, parsed, async (client) => {
      const { session, ended_tasks = 0, is_new } = await importFile(client, path);
      if (isSet(parsed, 'json')) {
        process.stdout.write(`${JSON.stringify(session, null, 2)}\n`);
        return 0;
      }
      const name = `Session ${shortId(session?.session_id ?? '')}`;
      const ended = ended_tasks === 0 ? '' : ` ${tasks(ended_tasks)} ended as interrupted.`;
      process.stdout.write(
        is_new ? `${name} is here now.${ended}\n` : `${name} is here already, and the same.\n`,
      );
      return 0;
    });
  },
};

function tasks(count: number): string {
  return count === 1 ? '1 task was' : `${count} tasks were`;
}
