import { type Command, isSet } from '../arguments/command.ts';
import { onlyArgument, shortId } from '../remote/find-one.ts';
import { importFile } from '../remote/import-file.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';

export const importSession: Command = {
  name: 'import',
  summary: 'Import a session from a file written by "baton export". Requires the owner role.',
  usage: 'baton import FILE',
  options: { json: { type: 'boolean', about: 'print the session as JSON' }, ...DAEMON_OPTIONS },
  notes: [
    'Use "-" to read from stdin. Importing the same file again has no effect.',
    "Unfinished tasks are marked as interrupted. The agent's own session data is not imported.",
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
      const ended = ended_tasks === 0 ? '' : ` ${tasks(ended_tasks)} marked as interrupted.`;
      process.stdout.write(
        is_new ? `${name} imported.${ended}\n` : `${name} already imported (identical).\n`,
      );
      return 0;
    });
  },
};

function tasks(count: number): string {
  return count === 1 ? '1 task was' : `${count} tasks were`;
}
