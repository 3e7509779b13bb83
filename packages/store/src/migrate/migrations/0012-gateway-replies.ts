import type { Kysely } from 'kysely';

/** The gateway knows what it has sent for a message and where its agent runs, and keeps the choices and costs of a channel. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['gateway_events', 'sent'],
    ['gateway_events', 'place'],
    ['gateway_channels', 'backend'],
    ['gateway_channels', 'model'],
    ['gateway_channels', 'usage'],
  ] as const) {
    await schema.alterTable(table).addColumn(column, 'text').execute();
  }
}
