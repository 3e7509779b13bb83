import type { Action, FileChange } from '@baton/protocol';
import { replacementDiff } from '../../normalize/diff.ts';
import { array, type Json, number, object, string } from '../../normalize/json.ts';
import { unwrapShell } from './shell-words.ts';

type EditAction = Extract<Action, { type: 'file.edit' }>;

/** A command, without the login shell around it. */
export function commandAction(item: Json): Action {
  return {
    type: 'command',
    command: unwrapShell(string(item.command) ?? ''),
    cwd: string(item.cwd),
    exitCode: number(item.exitCode) ?? number(item.exit_code),
  };
}

/** The edits of a patch. */
export function editAction(item: Json): EditAction {
  return {
    type: 'file.edit',
    changes: array(item.changes).map((change) => fileChange(object(change))),
  };
}

/** A call of an MCP tool. */
export function mcpAction(item: Json): Extract<Action, { type: 'mcp' }> {
  return {
    type: 'mcp',
    server: string(item.server) ?? '',
    tool: string(item.tool) ?? '',
    arguments: item.arguments,
  };
}

/** A search of the web, or a page opened in one. */
export function searchAction(item: Json): Action {
  const { query, url } = object(item.action);
  return { type: 'fetch', query: string(item.query) || string(query), url: string(url) };
}

/** Something done with a sub-agent: starting it, talking to it, waiting for it. */
export function subagentAction(item: Json): Action {
  return { type: 'subagent', prompt: string(item.prompt), description: string(item.tool) };
}

/** What an MCP tool gave back, as text. */
export function mcpOutput(item: Json): string | undefined {
  const failure = string(object(item.error).message);
  if (failure !== undefined) return failure;
  const content = array(object(item.result).content);
  if (content.length === 0) return undefined;
  return content.map((part) => string(object(part).text) ?? JSON.stringify(part)).join('\n');
}

/** The last words of the sub-agents that a call was about. */
export function subagentOutput(item: Json): string | undefined {
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
