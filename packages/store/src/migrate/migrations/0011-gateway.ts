import type { Kysely } from 'kysely';
import { createIndex, createTable } from './create-table.ts';

/** The chat gateway: messages and what became of them, channels, sessions of agents, and webhook signatures. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'gateway_events', ['channel_id', 'message_id'], {
    channel_id: 'text',
    message_id: 'text',
    position: 'number',
    state: 'text',
    agent_started: 'number',
    body: 'text',
    result: 'text?',
    accepted_at: 'number',
    updated_at: 'number',
  });
  await createIndex(db, 'gateway_events', ['state', 'channel_id']);
  await createTable(db, 'gateway_channels', ['channel_id'], {
    channel_id: 'text',
    last_message_id: 'text?',
    head_position: 'number',
  });
  await createTable(db, 'gateway_sessions', ['channel_id', 'backend'], {
    channel_id: 'text',
    backend: 'text',
    native_session_id: 'text',
    updated_at: 'number',
  });
  await createTable(db, 'gateway_signatures', ['signature'], {
    signature: 'text',
    expires_at: 'number',
  });
  await createIndex(db, 'gateway_signatures', ['expires_at']);
}
