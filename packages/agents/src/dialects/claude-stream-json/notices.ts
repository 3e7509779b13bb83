import { array, type Json, number, object, string } from '@baton/config/values/json';
import type { DraftOf } from '@baton/engine/definition/dialect';
import type { EventOf } from '@baton/protocol/values';
import type { BackgroundTask } from './background-tasks.ts';

type Notice = Pick<EventOf<'notice'>, 'level' | 'code' | 'message' | 'data' | 'parentId'>;
type Reader = (line: Json, label: string) => Notice | undefined;

const info = (code: Notice['code'], message: string, data?: unknown): Notice => ({
  level: 'info',
  code,
  message,
  data,
});
const warning = (code: Notice['code'], message: string, data?: unknown): Notice => ({
  ...info(code, message, data),
  level: 'warning',
});

/** Progress lines; the final numbers arrive in later lines. */
const nothing: Reader = () => undefined;

const SYSTEM: Readonly<Record<string, Reader>> = {
  thinking_tokens: nothing,
  session_state_changed: nothing,
  task_progress: nothing,
  hook_started: nothing,
  hook_progress: nothing,
  commands_changed: nothing,
  // Repeats the lines of each task.
  background_tasks_changed: nothing,
  files_persisted: nothing,
  memory_recall: nothing,
  permission_check_status: nothing,
  turn_duration: nothing,
  vcs_state_changed: nothing,
  status: statusNotice,
  api_retry: retryNotice,
  compact_boundary: (line) =>
    info('compaction', 'The conversation was compacted.', line.compact_metadata),
  model_fallback: (line) => warning('model_fallback', words(line, 'Model changed.')),
  model_consent_fallback: (line) => warning('model_fallback', words(line, 'Model changed.')),
  model_refusal_fallback: (line) => warning('model_fallback', words(line, 'Model changed.')),
  model_refusal_no_fallback: (line) =>
    warning('agent_warning', words(line, 'The model declined to answer.')),
  task_started: (line) => task(line, `Started: ${string(line.description) ?? 'a task'}`),
  task_updated: (line) => task(line, `Task ${string(object(line.patch).status) ?? 'updated'}`),
  task_notification: (line) =>
    task(line, `${string(line.summary) ?? 'A task'}: ${string(line.status) ?? 'ended'}`),
  hook_response: hookNotice,
  permission_denied: (line) =>
    warning('agent_warning', string(line.message) ?? 'A tool was denied.'),
  informational: (line) => ({
    ...info('text', words(line, '')),
    level: line.level === 'warning' ? 'warning' : 'info',
  }),
  notification: (line) => info('text', string(line.text) ?? ''),
  local_command_output: (line) => info('text', words(line, '')),
};

const OTHERS: Readonly<Record<string, Reader>> = {
  keep_alive: nothing,
  // The state of a prompt, which its echo and the result also report.
  command_lifecycle: nothing,
  tool_progress: nothing,
  prompt_suggestion: (line) => info('suggestion', string(line.suggestion) ?? ''),
  tool_use_summary: (line) => info('text', string(line.summary) ?? ''),
  rate_limit_event: rateLimitNotice,
  auth_status: (line, label) =>
    string(line.error)
      ? warning('agent_warning', string(line.error) ?? '')
      : info('status', `${label} is logging in.`),
};

/** Converts a line into a notice, or nothing; `unknown` for unrecognized lines. */
export function noticeOf(line: Json, label: string): Notice | undefined | 'unknown' {
  const reader = line.type === 'system' ? own(SYSTEM, line.subtype) : own(OTHERS, line.type);
  return reader ? reader(line, label) : 'unknown';
}

/** The key sources that mean a login, or unknown. */
const LOGINS: ReadonlySet<string> = new Set(['none', 'oauth', '/login managed key']);

/** The notice that the run is billed to an API key although a login is possible. */
export function apiKeyNotice({ apiKeySource }: Json, label: string): Notice | undefined {
  const source = string(apiKeySource);
  if (source === undefined || LOGINS.has(source)) return undefined;
  const message = `${label} uses an API key (${source}) instead of a login. This run is billed to that key.`;
  return info('api_key_used', message, { source });
}

const SERVER_TROUBLE = new Map([
  ['failed', 'did not start'],
  ['needs-auth', 'needs a login'],
]);

/** The notices about MCP servers that cannot be used. */
export function serverNotices(init: Json): Notice[] {
  return array(init.mcp_servers).flatMap((server) => {
    const { name, status } = object(server);
    const trouble = SERVER_TROUBLE.get(string(status) ?? '');
    return trouble ? warning('mcp_server', `The MCP server "${string(name)}" ${trouble}.`) : [];
  });
}

function own(readers: Readonly<Record<string, Reader>>, name: unknown): Reader | undefined {
  return typeof name === 'string' && Object.hasOwn(readers, name) ? readers[name] : undefined;
}

function words(line: Json, otherwise: string): string {
  return string(line.content) || otherwise;
}

function statusNotice(line: Json, label: string): Notice | undefined {
  if (line.compact_result === 'failed') {
    return warning('compaction', string(line.compact_error) ?? 'Compaction failed.');
  }
  if (line.status === 'compacting')
    return info('compaction', 'The conversation is being compacted.');
  const mode = string(line.permissionMode);
  return mode ? info('status', `${label}'s permission mode is now ${mode}.`) : undefined;
}

function retryNotice(line: Json): Notice {
  const status = number(line.error_status);
  const data = {
    attempt: number(line.attempt),
    max: number(line.max_retries),
    delayMs: number(line.retry_delay_ms),
    status,
  };
  const wait = data.delayMs === undefined ? '' : ` in ${Math.ceil(data.delayMs / 1000)} s`;
  const again = `Retrying${wait} (${data.attempt} of ${data.max}).`;
  return warning('retry', `${retryReason(status)} ${again}`, data);
}

function retryReason(status: number | undefined): string {
  if (status === undefined) return 'The provider did not respond.';
  if (status === 401) return 'The provider rejected the key or login (status 401).';
  if (status === 429) return "The provider's rate limit was reached (status 429).";
  if (status === 529) return 'The provider is overloaded (status 529).';
  return `The provider responded with status ${status}.`;
}

function task(line: Json, message: string): Notice {
  return {
    ...info('background_task', message, {
      taskId: string(line.task_id),
      status: string(line.status) ?? string(object(line.patch).status) ?? 'running',
      kind: string(line.task_type),
    }),
    parentId: string(line.tool_use_id),
  };
}

function hookNotice(line: Json): Notice {
  const name = string(line.hook_name) ?? 'hook';
  const data = { exitCode: number(line.exit_code), output: string(line.output) };
  if (line.outcome === 'error') return warning('hook', `The hook ${name} failed.`, data);
  return info('hook', `The hook ${name} ran.`, data);
}

function rateLimitNotice(line: Json): Notice {
  const limit = object(line.rate_limit_info);
  const kind = string(limit.rateLimitType) ?? 'usage';
  const message = `Rate limit (${kind}): ${string(limit.status) ?? 'changed'}.`;
  return limit.status === 'allowed'
    ? info('rate_limit', message, limit)
    : warning('rate_limit', message, limit);
}

/** The run stays open for background tasks. */
export function waiting(tasks: readonly BackgroundTask[]): DraftOf<'notice'> {
  const message = `Waiting for background tasks: ${namesOf(tasks)}`;
  return { type: 'notice', ...info('background_task', message, dataOf(tasks)) };
}

/** Background tasks exceeded the limit. */
export function notWaiting(tasks: readonly BackgroundTask[]): DraftOf<'notice'> {
  const message = `No longer waiting for background tasks: ${namesOf(tasks)}`;
  return { type: 'notice', ...warning('background_task', message, dataOf(tasks)) };
}

/** Background tasks end with their agent. */
export function endedWithRun(tasks: readonly BackgroundTask[]): DraftOf<'notice'> {
  const message = `Background tasks ended with the run: ${namesOf(tasks)}`;
  return { type: 'notice', ...warning('background_task', message, dataOf(tasks)) };
}

function namesOf(tasks: readonly BackgroundTask[]): string {
  return tasks.map(({ description }) => description).join(', ');
}

function dataOf(tasks: readonly BackgroundTask[]): { taskIds: string[] } {
  return { taskIds: tasks.map(({ id }) => id) };
}
