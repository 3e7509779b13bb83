import { array, type Json, object, string } from '@baton/config/values/json';
import type { Action, FileChange, PlanEntry } from '@baton/protocol/values';
import { replacementDiff } from './diff.ts';

type ActionMaker = (input: Json, pathKeys: readonly string[]) => Action;

/** The arguments in which agents name the file of a tool. */
export const PATH_KEYS: readonly string[] = ['file_path', 'path', 'notebook_path', 'filePath'];

/** The arguments with text to write or to replace, or with words about the call. */
export const TEXT_KEYS: ReadonlySet<string> = new Set([
  'content',
  'file_text',
  'old_string',
  'new_string',
  'oldString',
  'newString',
  'old_str',
  'new_str',
  'oldText',
  'newText',
  'new_source',
  'diff',
  'description',
  'instruction',
  'instructions',
  'explanation',
]);

const read: ActionMaker = (input, keys) => ({ type: 'file.read', path: paths(input, keys)[0] });
const write: ActionMaker = (input, keys) => ({
  type: 'file.edit',
  changes: changes(paths(input, keys), {
    kind: 'add',
    diff: string(input.content) ?? string(input.file_text),
  }),
});
const edit: ActionMaker = (input, keys) => ({
  type: 'file.edit',
  changes: changes(paths(input, keys), { kind: 'edit', diff: editDiff(input) }),
});
const command: ActionMaker = (input) => ({
  type: 'command',
  command: commandOf(input),
  background: input.run_in_background === true ? true : undefined,
});
const search: ActionMaker = (input) => ({
  type: 'search',
  query: string(input.pattern) ?? string(input.query) ?? string(input.path) ?? '',
  path: string(input.path),
});
const fetch: ActionMaker = (input) => ({
  type: 'fetch',
  url: string(input.url),
  query: string(input.query),
});
const subagent: ActionMaker = (input) => ({
  type: 'subagent',
  prompt: string(input.prompt),
  agent: string(input.subagent_type),
  description: string(input.description),
});
const plan: ActionMaker = (input) => ({
  type: 'plan',
  text: string(input.plan),
  entries: planEntries(input.todos ?? input.entries),
});

/** The tools that several agents have, under all the names they go by. */
const MAKERS: Readonly<Record<string, ActionMaker>> = {
  read,
  read_file: read,
  view: read,
  notebookread: read,
  write,
  write_file: write,
  create_file: write,
  create: write,
  edit,
  edit_file: edit,
  multiedit: edit,
  replace: edit,
  str_replace: edit,
  notebookedit: edit,
  bash: command,
  cmd: command,
  command_line: command,
  exec: command,
  execute: command,
  run_shell_command: command,
  shell: command,
  glob: search,
  grep: search,
  find: search,
  ls: search,
  list_directory: search,
  search_file_content: search,
  webfetch: fetch,
  web_fetch: fetch,
  websearch: fetch,
  web_search: fetch,
  google_web_search: fetch,
  fetchurl: fetch,
  read_web_page: fetch,
  task: subagent,
  agent: subagent,
  todowrite: plan,
  write_todos: plan,
  todo_write: plan,
  exitplanmode: plan,
};

/**
 * Returns the action of a tool call, by the tool's name and input. `pathKeys` are the arguments in which the agent
 * names the file of a tool; where they are unknown, an edit with several is about all of these files.
 */
export function actionOf(
  name: string,
  input: unknown,
  pathKeys: readonly string[] = PATH_KEYS,
): Action {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name) ?? /^(.+?)___(.+)$/.exec(name);
  if (mcp?.[1] && mcp[2]) return { type: 'mcp', server: mcp[1], tool: mcp[2], arguments: input };
  const known = name.toLowerCase();
  // A tool may have any name, also one that every object has.
  const make = Object.hasOwn(MAKERS, known) ? MAKERS[known] : undefined;
  if (make) return make(object(input), pathKeys);
  return { type: 'other', description: string(object(input).description) };
}

/**
 * The call of an MCP tool whose name is that of its server, an underscore and its own, as in `echo_say`. Agents replace
 * characters that model providers reject.
 */
export function mcpAction(
  name: string,
  input: unknown,
  servers: Iterable<string>,
): Extract<Action, { type: 'mcp' }> | undefined {
  const accepted = (text: string) => text.replaceAll(/[^\w-]/g, '_');
  const [server] = [...servers]
    .filter((each) => accepted(name).startsWith(`${accepted(each)}_`))
    .sort((one, other) => other.length - one.length);
  const tool = server === undefined ? '' : name.slice(server.length + 1);
  if (server === undefined || tool === '') return undefined;
  return { type: 'mcp', server, tool, arguments: input };
}

/** Reads a todo list in any of the shapes agents use. */
export function planEntries(value: unknown): PlanEntry[] | undefined {
  if (typeof value === 'string') return planLines(value);
  if (!Array.isArray(value)) return undefined;
  return value.map((entry) => {
    const item = object(entry);
    const text =
      string(item.content) ?? string(item.text) ?? string(item.step) ?? string(item.title) ?? '';
    return { text, status: planStatus(item) };
  });
}

/** A todo list as text: `1. [pending] Look around`. */
function planLines(text: string): PlanEntry[] | undefined {
  const lines = [...text.matchAll(/^\s*\d+\.\s*\[(\w+)\]\s*(.+)$/gm)];
  if (lines.length === 0) return undefined;
  return lines.map(([, status, step = '']) => ({ text: step, status: planStatus({ status }) }));
}

function planStatus(item: Json): PlanEntry['status'] {
  if (item.completed === true) return 'completed';
  const status = (string(item.status) ?? '').replaceAll(/[-_\s]/g, '').toLowerCase();
  if (status === 'completed' || status === 'done') return 'completed';
  if (status === 'inprogress') return 'in_progress';
  return 'pending';
}

/** The files that an input names in some of its arguments; an empty name if there are none. */
function paths(input: Json, keys: readonly string[]): [string, ...string[]] {
  const [first = '', ...others] = new Set(keys.flatMap((key) => string(input[key]) ?? []));
  return [first, ...others];
}

/** The changes of an edit; the text belongs to the first file. */
function changes(
  [path, ...others]: readonly [string, ...string[]],
  { kind, diff }: Pick<FileChange, 'kind' | 'diff'>,
): FileChange[] {
  return [{ path, kind, diff }, ...others.map((other) => ({ path: other, kind }))];
}

function commandOf(input: Json): string {
  const value = input.command ?? input.cmd ?? input.command_line;
  if (Array.isArray(value))
    return value.map((part) => string(part) ?? JSON.stringify(part)).join(' ');
  return string(value) ?? '';
}

function editDiff(input: Json): string | undefined {
  const edits = array(input.edits).length > 0 ? array(input.edits).map(object) : [input];
  const diffs = edits.map((one) => {
    const before =
      string(one.old_string) ??
      string(one.oldString) ??
      string(one.old_str) ??
      string(one.oldText) ??
      '';
    const after =
      string(one.new_string) ??
      string(one.newString) ??
      string(one.new_str) ??
      string(one.newText) ??
      string(one.new_source);
    return after === undefined ? undefined : replacementDiff(before, after);
  });
  const found = diffs.filter((diff) => diff !== undefined);
  return found.length > 0 ? found.join('') : undefined;
}
