import { BatonError } from '@baton/protocol';
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { outageOf } from '../engine/outage.ts';
import * as first from './migrations/0001-first.ts';
import * as spoolFolders from './migrations/0002-spool-folders.ts';
import * as nativeBackends from './migrations/0003-native-backends.ts';
import * as answeredBy from './migrations/0004-answered-by.ts';
import * as titles from './migrations/0005-titles.ts';
import * as queueState from './migrations/0006-queue-state.ts';
import * as usedModels from './migrations/0007-used-models.ts';
import * as unparsedLines from './migrations/0008-unparsed-lines.ts';
import * as estimatedCosts from './migrations/0009-estimated-costs.ts';
import * as chains from './migrations/0010-chains.ts';
import * as gateway from './migrations/0011-gateway.ts';
import * as gatewayReplies from './migrations/0012-gateway-replies.ts';
import * as resumedTasks from './migrations/0013-resumed-tasks.ts';
import * as workspaces from './migrations/0014-workspaces.ts';
import * as reportedChanges from './migrations/0015-reported-changes.ts';
import * as channelWorkspaces from './migrations/0016-channel-workspaces.ts';
import * as reviewComments from './migrations/0017-review-comments.ts';

/** In this order, each once. A migration that was released is never changed. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-spool-folders': spoolFolders,
  '0003-native-backends': nativeBackends,
  '0004-answered-by': answeredBy,
  '0005-titles': titles,
  '0006-queue-state': queueState,
  '0007-used-models': usedModels,
  '0008-unparsed-lines': unparsedLines,
  '0009-estimated-costs': estimatedCosts,
  '0010-chains': chains,
  '0011-gateway': gateway,
  '0012-gateway-replies': gatewayReplies,
  '0013-resumed-tasks': resumedTasks,
  '0014-workspaces': workspaces,
  '0015-reported-changes': reportedChanges,
  '0016-channel-workspaces': channelWorkspaces,
  '0017-review-comments': reviewComments,
};

/**
 * Migrates a database to the schema of this version. Before changing a database with data, it calls `beforeUpgrade`
 * with the names of the pending migrations.
 */
export async function migrate<Tables>(
  database: Kysely<Tables>,
  beforeUpgrade: (pending: readonly string[]) => Promise<void> = async () => {},
): Promise<void> {
  const db = database as unknown as Kysely<unknown>;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  await refuseNewer(migrator, db);
  const migrations = await migrator.getMigrations();
  const pending = migrations.filter(({ executedAt }) => executedAt === undefined);
  const isNew = pending.length === migrations.length;
  if (pending.length > 0 && !isNew) await beforeUpgrade(pending.map(({ name }) => name));
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  // The disk or the server is at fault: the caller, which opens the database, has the better message.
  if (outageOf(error)) throw error;
  throw new BatonError('store_unavailable', `Database migration failed: ${words(error)}`, {
    cause: error,
  });
}

/** Rejects a database written by a newer version, whose data this version could misread. */
async function refuseNewer(migrator: Migrator, db: Kysely<unknown>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return;
  const done = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  const known = new Set((await migrator.getMigrations()).map(({ name }) => name));
  const unknown = done.find(({ name }) => !known.has(name));
  if (!unknown) return;
  throw new BatonError(
    'store_unavailable',
    `The database was written by a newer version of Baton (${unknown.name}).`,
    {
      hint: 'Use that version, or a separate database for this one.',
    },
  );
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
