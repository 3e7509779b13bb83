import { array, integer, type Json, number, object, string } from '@baton/config/values/json';
import { replacementDiff } from '@baton/engine/normalize/diff';
import type { Action, FileChange, ToolOutcome } from '@baton/protocol/values';

/** A tool call, as an item of a thread tells it. */
export type Tool = {
  name: string;
  action: Action;
  input?: unknown;
  output?: string | undefined;
  durationMs?: number | undefined;
};

type ToolReader = (item: Json) => Omit<Tool, 'name'> & { name?: string | undefined };

const command: ToolReader = (item) => ({
  action: commandAction(item),
  input: { command: item.command, cwd: item.cwd },
  output: string(item.aggregatedOutput) ?? string(item.aggregated_output),
});
const subagent: ToolReader = (item) => ({
  name: snake(string(item.tool) ?? 'subagent'),
  action: subagentAction(item),
  output: subagentOutput(item),
});

/** The items that are tool calls, by the names that `exec` gives them; the app server writes them in camel case. */
const TOOL_READERS: Readonly<Record<string, ToolReader>> = {
  command_execution: command,
  file_change: (item) => ({ action: editAction(item) }),
  mcp_tool_call: (item) => ({
    name: mcpToolName(item),
    action: mcpAction(item),
    input: item.arguments,
    output: mcpOutput(item),
  }),
  web_search: (item) => ({ action: searchAction(item) }),
  collab_tool_call: subagent,
  collab_agent_tool_call: subagent,
  dynamic_tool_call: (item) => ({
    name: string(item.tool),
    action: { type: 'other' },
    input: item.arguments,
  }),
  image_view: (item) => ({ action: { type: 'file.read', path: string(item.path) ?? '' } }),
  image_generation: (item) => ({
    action: { type: 'other', description: string(item.revisedPrompt) },
    output: string(item.savedPath),
  }),
  sleep: (item) => ({
    action: { type: 'other', description: `Waits ${number(item.durationMs)} ms.` },
  }),
};

/** Reads an item as a tool call; nothing when it is none. */
export function toolOf(item: Json): Tool | undefined {
  const kind = snake(string(item.type) ?? '');
  const read = Object.hasOwn(TOOL_READERS, kind) ? TOOL_READERS[kind] : undefined;
  if (!read) return undefined;
  const { name = kind, ...tool } = read(item);
  return { name, ...tool, durationMs: number(item.durationMs) };
}

/** Returns the outcome of a tool call. */
export function outcomeOf(item: Json): ToolOutcome {
  if (item.status === 'declined' || isUnapproved(item)) return 'denied';
  if (item.status === 'interrupted') return 'cancelled';
  const exitCode = integer(item.exitCode) ?? integer(item.exit_code) ?? 0;
  const hasFailed = item.status === undefined ? exitCode !== 0 : item.status === 'failed';
  return hasFailed ? 'error' : 'ok';
}

/** With no one to ask, Codex denies the MCP tools that need approval. */
function isUnapproved({ error }: Json): boolean {
  return /requires approval, but approval policy is never/.test(
    string(object(error).message) ?? '',
  );
}

/** Returns the name of an MCP tool in the form that all agents share. */
export function mcpToolName(call: Json): string {
  return `mcp__${string(call.server) ?? ''}__${string(call.tool) ?? ''}`;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A command, without the login shell around it. */
export function commandAction(item: Json): Action {
  return {
    type: 'command',
    command: unwrapShell(string(item.command) ?? ''),
    cwd: string(item.cwd),
    exitCode: integer(item.exitCode) ?? integer(item.exit_code),
  };
}

/** The edits of a patch. */
export function editAction(item: Json): Extract<Action, { type: 'file.edit' }> {
  return {
    type: 'file.edit',
    changes: array(item.changes).map((change) => fileChange(object(change))),
  };
}

/** A call of an MCP tool. */
function mcpAction(item: Json): Extract<Action, { type: 'mcp' }> {
  return {
    type: 'mcp',
    server: string(item.server) ?? '',
    tool: string(item.tool) ?? '',
    arguments: item.arguments,
  };
}

/** A search of the web, or a page opened in one. */
function searchAction(item: Json): Action {
  const { query, url } = object(item.action);
  return { type: 'fetch', query: string(item.query) || string(query), url: string(url) };
}

/** Something done with a sub-agent: starting it, talking to it, waiting for it. */
function subagentAction(item: Json): Action {
  return { type: 'subagent', prompt: string(item.prompt), description: string(item.tool) };
}

/** Returns the output of an MCP tool as text. */
function mcpOutput(item: Json): string | undefined {
  const failure = string(object(item.error).message);
  if (failure !== undefined) return failure;
  const content = array(object(item.result).content);
  if (content.length === 0) return undefined;
  return content.map((part) => string(object(part).text) ?? JSON.stringify(part)).join('\n');
}

/** The last words of the sub-agents that a call was about. */
function subagentOutput(item: Json): string | undefined {
  const states = Object.values(object(item.agentsStates ?? item.agents_states));
  const said = states.map((state) => string(object(state).message)).filter(Boolean);
  return said.length > 0 ? said.join('\n') : undefined;
}

function fileChange(change: Json): FileChange {
  const path = string(change.path) ?? '';
  const kind = string(change.kind) ?? string(object(change.kind).type);
  const newPath = string(object(change.kind).move_path);
  const diff = string(change.diff);
  if (kind === 'add') return { path, kind, diff };
  if (kind === 'delete') return { path, kind, diff: diff && replacementDiff(diff, '') };
  if (newPath === undefined) return { path, kind: 'edit', diff };
  return { path, kind: 'rename', newPath, diff: diff && withoutMoveLine(diff) };
}

function withoutMoveLine(diff: string): string {
  const end = diff.lastIndexOf('\n\nMoved to: ');
  return end === -1 ? diff : diff.slice(0, end);
}

const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh -l?c ([\s\S]+)$/;
/** A quoted part of a word, an escaped character, or a run of plain ones. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;

/** The command that Codex wraps into a login shell; as it is when it is not wrapped. */
export function unwrapShell(command: string): string {
  const script = SHELL.exec(command)?.[1];
  return (script === undefined ? undefined : unquote(script)) ?? command;
}

/** Reads one word of the shell; nothing when it is not exactly one. */
function unquote(text: string): string | undefined {
  let word = '';
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    if (!part) return undefined;
    const [, single, double, escaped, plain] = part;
    word += single ?? double?.replaceAll(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? '';
  }
  return word;
}
