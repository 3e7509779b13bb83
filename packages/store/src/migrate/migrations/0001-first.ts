import type { Kysely } from 'kysely';
import { createIndex, createTable } from './create-table.ts';

/** Everything that the first daemon kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'sessions', ['session_id'], {
    session_id: 'text',
    created_by: 'text?',
    title: 'text',
    cwd: 'text',
    backend: 'text',
    model: 'text?',
    permission_mode: 'text',
    request_policy: 'text?',
    native_session_id: 'text?',
    native_backend: 'text?',
    forked_from: 'text?',
    archived: 'number',
    created_at: 'number',
    updated_at: 'number',
    last_started_at: 'number',
    head_cursor: 'number',
    input_tokens: 'number',
    output_tokens: 'number',
    cost_usd: 'real',
  });
  await createIndex(db, 'sessions', ['archived', 'updated_at']);

  await createTable(db, 'tasks', ['task_id'], {
    task_id: 'text',
    session_id: 'text',
    position: 'number',
    status: 'text',
    created_by: 'text?',
    full_prompt: 'text',
    description: 'text',
    backend: 'text',
    model: 'text?',
    permission_mode: 'text',
    options: 'text',
    attachments: 'text',
    executor_id: 'text?',
    run_id: 'text?',
    last_seq: 'number',
    reported_seq: 'number?',
    pending_requests: 'number',
    native_session_id: 'text?',
    created_at: 'number',
    started_at: 'number?',
    completed_at: 'number?',
    outcome: 'text?',
    output: 'text?',
    error: 'text?',
    usage: 'text?',
  });
  await createIndex(db, 'tasks', ['session_id', 'position']);
  await createIndex(db, 'tasks', ['status', 'created_at']);

  await createTable(db, 'entries', ['session_id', 'first_cursor'], {
    session_id: 'text',
    entry_key: 'text',
    task_id: 'text?',
    kind: 'text',
    first_cursor: 'number',
    through: 'number',
    open: 'number',
    body: 'text',
  });
  await createIndex(db, 'entries', ['entry_key', 'session_id']);
  await createIndex(db, 'entries', ['open', 'session_id']);

  await createTable(db, 'requests', ['task_id', 'request_id'], {
    session_id: 'text',
    task_id: 'text',
    request_id: 'text',
    kind: 'text',
    asked_at: 'number',
    status: 'text',
    request: 'text',
    answer: 'text?',
    answered_by: 'text?',
    answered_at: 'number?',
    resolution: 'text?',
  });
  await createIndex(db, 'requests', ['status', 'asked_at']);

  // Readers ask for what comes behind a cursor, so the key is the end of a batch.
  await createTable(db, 'log', ['session_id', 'last_cursor'], {
    session_id: 'text',
    last_cursor: 'number',
    events: 'number',
    at: 'number',
    body: 'text',
  });

  await createTable(db, 'leases', ['task_id'], {
    task_id: 'text',
    session_id: 'text',
    executor_id: 'text',
    daemon_id: 'text',
    fence: 'number',
    expires_at: 'number',
  });
  await createIndex(db, 'leases', ['expires_at']);

  await createTable(db, 'executors', ['executor_id'], {
    executor_id: 'text',
    task_id: 'text',
    session_id: 'text',
    daemon_id: 'text',
    host: 'text',
    pid: 'number?',
    start_ticks: 'number?',
    started_at: 'number',
    heartbeat_at: 'number',
    progress_at: 'number',
    ended_at: 'number?',
  });
  await createIndex(db, 'executors', ['task_id']);
  await createIndex(db, 'executors', ['ended_at']);

  await createTable(db, 'daemons', ['daemon_id'], {
    daemon_id: 'text',
    host: 'text',
    url: 'text',
    version: 'text',
    slots: 'number',
    started_at: 'number',
    heartbeat_at: 'number',
  });

  await createTable(db, 'users', ['user_id'], {
    user_id: 'text',
    name: 'text',
    role: 'text',
    password_hash: 'text?',
    disabled: 'number',
    created_at: 'number',
  });
  await db.schema.createIndex('users_by_name').unique().on('users').column('name').execute();

  await createTable(db, 'tokens', ['token_id'], {
    token_id: 'text',
    user_id: 'text',
    name: 'text',
    kind: 'text',
    hash: 'text',
    scopes: 'text',
    created_at: 'number',
    expires_at: 'number?',
    last_used_at: 'number?',
    revoked_at: 'number?',
  });
  await db.schema.createIndex('tokens_by_hash').unique().on('tokens').column('hash').execute();
  await createIndex(db, 'tokens', ['user_id']);

  await createTable(db, 'api_keys', ['key_id'], {
    key_id: 'text',
    user_id: 'text?',
    name: 'text',
    sealed: 'text',
    created_at: 'number',
  });
  await createIndex(db, 'api_keys', ['name']);

  await createTable(db, 'rules', ['rule_id'], {
    rule_id: 'text',
    session_id: 'text?',
    folder: 'text?',
    tool: 'text',
    pattern: 'text?',
    decision: 'text',
    created_by: 'text?',
    created_at: 'number',
  });

  await createTable(db, 'settings', ['name'], {
    name: 'text',
    value: 'text',
    updated_at: 'number',
  });

  await createTable(db, 'mcp_servers', ['server_id'], {
    server_id: 'text',
    name: 'text',
    sealed: 'text',
    enabled: 'number',
    created_by: 'text?',
    created_at: 'number',
  });

  await createTable(db, 'attachments', ['attachment_id'], {
    attachment_id: 'text',
    session_id: 'text',
    name: 'text',
    media_type: 'text',
    bytes: 'number',
    body: 'bytes',
    created_by: 'text?',
    created_at: 'number',
  });
  await createIndex(db, 'attachments', ['session_id']);

  await createTable(db, 'raw_output', ['task_id', 'part'], {
    task_id: 'text',
    part: 'number',
    at: 'number',
    bytes: 'number',
    body: 'bytes',
  });
  await createIndex(db, 'raw_output', ['at']);
}
