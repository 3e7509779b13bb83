import { array, integer, isObject, type Json, object, string } from '@baton/config/values/json';
import { actionOf, planEntries } from '@baton/engine/normalize/actions';
import { replacementDiff } from '@baton/engine/normalize/diff';
import type { Action, ToolOutcome } from '@baton/protocol/values';

/** A call of a tool, out of the envelope that has one key for its kind: `shellToolCall`, `readToolCall`, … */
export type CursorCall = {
  name: string;
  input: Json;
  action: Action;
  result: unknown;
};

/** Reads the envelope of a call; nothing if there is no call in it. */
export function callOf(envelope: unknown): CursorCall | undefined {
  const found = Object.entries(object(envelope)).find(
    ([key, value]) => isObject(value) && (key.endsWith('ToolCall') || key === 'function'),
  );
  if (!found) return undefined;
  const [key, value] = found;
  const body = object(value);
  if (key === 'function') return functionCall(body);
  const name = key.slice(0, -'ToolCall'.length);
  const input = object(body.args);
  return { name, input, action: action(name, input), result: body.result };
}

/** Tools without a kind of their own have a name, and their arguments as text. */
function functionCall({ name: given, arguments: args, result }: Json): CursorCall {
  const name = string(given) ?? 'function';
  const input = typeof args === 'string' ? { arguments: args } : object(args);
  return { name, input, action: actionOf(name, input), result };
}

function action(name: string, input: Json): Action {
  const path = string(input.path) ?? '';
  switch (name) {
    case 'write':
      return { type: 'file.edit', changes: [{ path, kind: 'add', diff: string(input.fileText) }] };
    case 'edit':
      return { type: 'file.edit', changes: [{ path, kind: 'edit', diff: editDiff(input) }] };
    case 'delete':
      return { type: 'file.edit', changes: [{ path, kind: 'delete' }] };
    case 'glob':
      return {
        type: 'search',
        query: string(input.globPattern) ?? '',
        path: string(input.targetDirectory),
      };
    case 'semSearch':
      return { type: 'search', query: string(input.query) ?? '' };
    case 'updateTodos':
      return { type: 'plan', entries: todosOf(input) };
    case 'mcp': {
      const tool = string(input.toolName) ?? string(input.name) ?? '';
      const server = string(input.providerIdentifier) ?? '';
      return { type: 'mcp', server, tool, arguments: input.args };
    }
    case 'webFetch':
    case 'fetch':
      return { type: 'fetch', url: string(input.url) };
    case 'webSearch':
      return { type: 'fetch', query: string(input.searchTerm) ?? string(input.query) };
    default:
      return actionOf(name, input);
  }
}

function editDiff({ strReplace, oldText, newText }: Json): string | undefined {
  const replace = object(strReplace);
  const after = string(replace.newText) ?? string(newText);
  const before = string(replace.oldText) ?? string(oldText) ?? '';
  return after === undefined ? undefined : replacementDiff(before, after);
}

/** A todo has a status such as TODO_STATUS_IN_PROGRESS. */
export function todosOf(input: Json) {
  return planEntries(
    array(input.todos).map((each) => {
      const todo = object(each);
      return { ...todo, status: string(todo.status)?.replace(/^TODO_STATUS_/, '') };
    }),
  );
}

/** Keys under which a result says that the call was not allowed. */
const DENIALS = new Set(['rejected', 'permissionDenied', 'writePermissionDenied', 'blocked']);
const CANCELLATIONS = new Set(['cancelled', 'aborted']);

type CursorOutcome = {
  outcome: ToolOutcome;
  output?: string | undefined;
  action: Action;
};

/** Returns the outcome of a call: its result has one key, which is `success` or names the problem. */
export function outcomeOf({ action, result }: CursorCall): CursorOutcome {
  const [key, value] = Object.entries(object(result))[0] ?? [];
  if (key === undefined) return { outcome: 'error', output: 'Cursor reported no result.', action };
  const details = object(value);
  const output = outputOf(value);
  const done = doneAction(action, details);
  if (DENIALS.has(key)) return { outcome: 'denied', output, action: done };
  if (CANCELLATIONS.has(key)) return { outcome: 'cancelled', output, action: done };
  if (key !== 'success') return { outcome: 'error', output: output || key, action: done };
  const hasFailed = action.type === 'command' && (integer(details.exitCode) ?? 0) !== 0;
  const isError = details.isError === true;
  return { outcome: hasFailed || isError ? 'error' : 'ok', output, action: done };
}

/** Returns the part of a result to show. */
function outputOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const details = object(value);
  const printed = [string(details.stdout), string(details.stderr)].filter(Boolean).join('\n');
  const texts = array(details.content).flatMap((block) => string(object(block).text) ?? []);
  return (
    printed ||
    string(details.content) ||
    texts.join('\n') ||
    string(details.output) ||
    string(details.error) ||
    string(details.errorMessage) ||
    string(details.reason) ||
    string(details.message) ||
    undefined
  );
}

function doneAction(action: Action, details: Json): Action {
  const exitCode = integer(details.exitCode);
  if (action.type === 'command' && exitCode !== undefined) return { ...action, exitCode };
  const diff = string(details.diffString);
  if (action.type !== 'file.edit' || diff === undefined) return action;
  return { ...action, changes: action.changes.map((change) => ({ ...change, diff })) };
}
