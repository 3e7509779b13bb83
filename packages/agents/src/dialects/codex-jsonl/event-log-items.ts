import {
  array,
  isObject,
  type Json,
  number,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';

/** Reads an event of a log as an item of `codex exec`; nothing when it is about no item. */
export function itemOf(event: Json): Json | undefined {
  const read = typeof event.type === 'string' ? ITEM_READERS.get(event.type) : undefined;
  return read?.(event);
}

/** Reads a call that the model made, as a rollout keeps it. */
export function callItem({ name, arguments: given, input }: Json): Json {
  const call = object(parseJson(string(given) ?? ''));
  const command = call.cmd ?? call.command;
  if (command !== undefined) {
    return { type: 'command_execution', command: commandOf(command), cwd: call.workdir };
  }
  const patch = string(input) ?? string(call.input) ?? '';
  if (name === 'apply_patch') return { type: 'file_change', changes: patchedFiles(patch) };
  return { type: 'dynamic_tool_call', tool: name, arguments: call };
}

/** Reads what a call gave back: text with a head about its exit, or, from older releases, JSON. */
export function callOutput({ output: given }: Json): Json {
  const text = string(given) ?? JSON.stringify(given);
  const old = object(parseJson(text));
  const whole = string(old.output) ?? text;
  const head = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(whole);
  const code = number(object(old.metadata).exit_code) ?? (head ? Number(head[1]) : undefined);
  const body = head ? (whole.split(/^Output:\n/m).at(1) ?? whole) : whole;
  return { aggregated_output: body, exit_code: code, status: code ? 'failed' : 'completed' };
}

const ITEM_READERS: ReadonlyMap<string, (event: Json) => Json> = new Map([
  ['agent_message', ({ message }) => ({ type: 'agent_message', text: message })],
  ['agent_reasoning', ({ text }) => ({ type: 'reasoning', text })],
  ['agent_reasoning_raw_content', ({ text }) => ({ type: 'reasoning', text })],
  ['exec_command_begin', command],
  ['exec_command_end', command],
  ['patch_apply_begin', patch],
  ['patch_apply_end', patch],
  ['mcp_tool_call_begin', mcp],
  ['mcp_tool_call_end', mcp],
  ['web_search_begin', search],
  ['web_search_end', search],
  ['plan_update', ({ plan }) => ({ type: 'todo_list', items: plan })],
  ['item_completed', ({ item }) => threadItem(object(item))],
]);

function command(event: Json): Json {
  const output = [event.stdout, event.stderr].map((part) => string(part) ?? '').join('');
  return {
    type: 'command_execution',
    id: event.call_id,
    command: commandOf(event.command),
    cwd: event.cwd,
    aggregated_output: string(event.aggregated_output) ?? output,
    exit_code: event.exit_code,
    status: event.exit_code ? 'failed' : event.status,
  };
}

function patch(event: Json): Json {
  const changes = isObject(event.changes) ? changesOf(event.changes) : undefined;
  const status = event.success === false ? 'failed' : 'completed';
  return { type: 'file_change', id: event.call_id, changes, status };
}

function mcp({ call_id: id, invocation, result }: Json): Json {
  const { Ok: answer, Err: message } = object(result);
  const error = message === undefined ? undefined : { message };
  const status = error ? 'failed' : 'completed';
  return { type: 'mcp_tool_call', id, ...object(invocation), result: answer, error, status };
}

function search({ call_id: id, query }: Json): Json {
  return { type: 'web_search', id, query };
}

/** An item in newer rollouts, with its type as a Rust name. */
function threadItem(item: Json): Json {
  const { id, status } = item;
  switch (item.type) {
    case 'AgentMessage':
      return { type: 'agent_message', id, text: textsOf(item.content).join('') };
    case 'Reasoning':
      return { type: 'reasoning', id, text: array(item.summary_text).join('\n\n') };
    case 'CommandExecution':
      return { ...command(item), id, status };
    case 'FileChange':
      return { type: 'file_change', id, changes: changesOf(object(item.changes)), status };
    default:
      return { ...item, type: snake(string(item.type) ?? '') };
  }
}

function textsOf(content: unknown): string[] {
  return array(content).map((part) => string(object(part).text) ?? '');
}

/** The edits of a patch by their paths; older releases name the kind as a key. */
function changesOf(changes: Json): Json[] {
  return Object.entries(changes).map(([path, value]) => {
    const change = object(value);
    const kind = string(change.type) ?? Object.keys(change)[0] ?? 'update';
    const facts = change.type === undefined ? object(change[kind]) : change;
    const diff = string(facts.unified_diff) ?? string(facts.content);
    return { path, kind: { type: kind, move_path: facts.move_path ?? undefined }, diff };
  });
}

const FILE_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;

function patchedFiles(text: string): Json[] {
  return [...text.matchAll(FILE_LINE)].map(([, kind = '', path]) => ({
    path,
    kind: kind.toLowerCase(),
  }));
}

function commandOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return string(value);
  const [, flag, script] = value;
  return value.length === 3 && /^-l?c$/.test(String(flag)) ? String(script) : value.join(' ');
}

function snake(name: string): string {
  return name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
