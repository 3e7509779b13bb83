import type { Db } from '../engine/engine.ts';
import { RowTable } from './row-table.ts';

/** Everything that is not derived from the log, and read access to the derived tables. */
export function recordsOf(db: Db) {
  return {
    sessions: new RowTable(db, 'sessions', 'session_id'),
    tasks: new RowTable(db, 'tasks', 'task_id'),
    requests: new RowTable(db, 'requests', 'request_id'),
    executors: new RowTable(db, 'executors', 'executor_id'),
    daemons: new RowTable(db, 'daemons', 'daemon_id'),
    users: new RowTable(db, 'users', 'user_id'),
    tokens: new RowTable(db, 'tokens', 'token_id'),
    apiKeys: new RowTable(db, 'api_keys', 'key_id'),
    rules: new RowTable(db, 'rules', 'rule_id'),
    settings: new RowTable(db, 'settings', 'name'),
    mcpServers: new RowTable(db, 'mcp_servers', 'server_id'),
    attachments: new RowTable(db, 'attachments', 'attachment_id'),
    reportedChanges: new RowTable(db, 'reported_changes', 'change_id'),
    reviewComments: new RowTable(db, 'review_comments', 'comment_id'),
    chainRuns: new RowTable(db, 'chain_runs', 'run_id'),
    trustedChains: new RowTable(db, 'trusted_chains', 'hash'),
  };
}

export type Records = ReturnType<typeof recordsOf>;
