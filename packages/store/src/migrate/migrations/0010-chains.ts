import type { Kysely } from 'kysely';
import { createIndex, createTable } from './create-table.ts';

/** Runs of chains, their events, and the chains files that a user trusts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'chain_runs', ['run_id'], {
    run_id: 'text',
    chain: 'text',
    file: 'text',
    file_hash: 'text',
    cwd: 'text',
    inputs: 'text',
    definition: 'text',
    status: 'text',
    pending_approvals: 'number',
    created_by: 'text?',
    created_at: 'number',
    updated_at: 'number',
    completed_at: 'number?',
    head_seq: 'number',
    input_tokens: 'number',
    output_tokens: 'number',
    cost_usd: 'real',
    cost_estimated: 'number',
    owner_id: 'text?',
    owner: 'text?',
    heartbeat_at: 'number?',
  });
  await createIndex(db, 'chain_runs', ['created_at']);
  await createTable(db, 'chain_events', ['run_id', 'seq'], {
    run_id: 'text',
    seq: 'number',
    at: 'number',
    body: 'text',
  });
  await createTable(db, 'trusted_chains', ['hash'], {
    hash: 'text',
    file: 'text',
    trusted_by: 'text?',
    trusted_at: 'number',
  });
}
