import type { ChainRunRecord } from '@baton/protocol/wire';
import type { ChainRunRow } from '@baton/store';
import type { Chain } from './chain.ts';
import { outlineOf } from './outline.ts';

/** The row of a chain run as services and commands show it. One that has not ended and that no process runs was interrupted. */
export function chainRunRecord(row: ChainRunRow, isOwned: boolean): ChainRunRecord {
  const isWaiting = row.status === 'awaiting_approval';
  const isKnown = row.completed_at !== null || isOwned || isWaiting;
  return {
    chain_run_id: row.run_id,
    chain: row.chain,
    file: row.file,
    cwd: row.cwd,
    inputs: JSON.parse(row.inputs) as Record<string, string>,
    status: isKnown ? (row.status as ChainRunRecord['status']) : 'interrupted',
    outline: outlineOf(JSON.parse(row.definition) as Chain),
    pending_approvals: row.pending_approvals,
    created_by: row.created_by,
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
    completed_at: row.completed_at === null ? null : moment(row.completed_at),
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost_usd: row.cost_usd,
    cost_estimated: row.cost_estimated === 1,
  };
}

function moment(time: number): string {
  return new Date(time).toISOString();
}
