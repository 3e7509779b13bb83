import { resolve } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import type { Command, Parsed } from '../arguments/command.ts';
import { daemonFolder } from '../remote/daemon-file.ts';
import { onlyArgument } from '../remote/find-one.ts';
import { FOLDER_OPTION } from '../remote/with-daemon.ts';

const USAGE = 'baton db backup FILE | rebuild';

export const db: Command = {
  name: 'db',
  summary: 'Back up the database of the local daemon, or rebuild its tables from the log.',
  usage: USAGE,
  words: ['backup', 'rebuild'],
  options: { folder: FOLDER_OPTION },
  notes: [
    'backup copies the database while the daemon is running. Back up "master.key" as well.',
    'rebuild recreates sessions, tasks and transcripts from the log. Stop all daemons first.',
    'Set DATABASE_URL for a PostgreSQL database.',
  ],
  async run(parsed) {
    const [word, ...rest] = parsed.positionals;
    if (word === 'backup') return backup(parsed, rest);
    if (word === 'rebuild' && rest.length === 0) return rebuild(parsed);
    throw new BatonError('usage', 'Missing subcommand.', { hint: `Use: ${USAGE}` });
  },
};

async function backup(parsed: Parsed, rest: readonly string[]): Promise<number> {
  const target = resolve(onlyArgument(rest, 'file', 'baton db backup FILE'));
  const { databaseOf } = await import('../remote/local-store.ts');
  const { url, isPostgres } = databaseOf(daemonFolder(parsed));
  if (isPostgres) {
    throw new BatonError('usage', 'baton db backup does not support PostgreSQL.', {
      hint: 'Use pg_dump "$DATABASE_URL", and back up the master key.',
    });
  }
  const { backupSqlite } = await import('@baton/store');
  const { bytes } = backupSqlite(url, target);
  const size = (bytes / 1024 / 1024).toFixed(1);
  process.stdout.write(`The database is in ${target} (${size} MB).\n`);
  const key = process.env.BATON_MASTER_KEY
    ? 'BATON_MASTER_KEY'
    : resolve(daemonFolder(parsed), 'master.key');
  process.stdout.write(`Its secrets need ${key}: keep a copy of that, in another place.\n`);
  return 0;
}

async function rebuild(parsed: Parsed): Promise<number> {
  const { withIdleStore } = await import('../remote/idle-store.ts');
  return withIdleStore(daemonFolder(parsed), async (store) => {
    const isWatched = process.stderr.isTTY;
    const count = await store.rebuild(({ done, total }) => {
      if (isWatched) process.stderr.write(`\r${done} of ${total} sessions`);
    });
    if (isWatched && count > 0) process.stderr.write('\n');
    process.stdout.write(`${count} ${count === 1 ? 'session was' : 'sessions were'} made anew.\n`);
    return 0;
  });
}
