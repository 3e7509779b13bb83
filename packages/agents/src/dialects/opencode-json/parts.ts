import {
  array,
  count,
  integer,
  type Json,
  number,
  object,
  string,
} from '@baton/config/values/json';
import type { DraftOf } from '@baton/engine/definition/dialect';
import { actionOf, mcpAction } from '@baton/engine/normalize/actions';
import type { Action, FileChange, Usage } from '@baton/protocol/values';

/** The id of a call in Baton's events: models give their own ids, and may give one twice. */
export function callIdOf(part: Json): string {
  return string(part.id) ?? string(part.callID) ?? 'call';
}

/** The action of a tool with this input. `servers` are the names of the run's MCP servers. */
export function toolAction(name: string, input: unknown, servers: readonly string[]): Action {
  const own = name === 'apply_patch' ? undefined : mcpAction(name, input, servers);
  return own ?? actionOf(name, input);
}

/** The start of a call, by the part of a message that tells of it. */
export function toolStarted(part: Json, servers: readonly string[] = []): DraftOf<'tool.started'> {
  const { input } = object(part.state);
  const name = string(part.tool) ?? 'tool';
  return {
    type: 'tool.started',
    callId: callIdOf(part),
    nativeId: string(part.callID),
    name,
    action: toolAction(name, input, servers),
    input,
  };
}

/** The end of a call. */
export function toolCompleted(
  part: Json,
  servers: readonly string[] = [],
): DraftOf<'tool.completed'> {
  const { status, output, error, time, metadata } = object(part.state);
  const action = partAction(part, servers);
  const isFailure = status !== 'completed' || (action.type === 'command' && !!action.exitCode);
  const wasStopped = object(metadata).interrupted === true;
  const failure = isRefusal(error) ? 'denied' : wasStopped ? 'cancelled' : isFailure && 'error';
  const { start, end } = object(time);
  const durationMs = Number(end) - Number(start);
  return {
    type: 'tool.completed',
    callId: callIdOf(part),
    nativeId: string(part.callID),
    action,
    outcome: failure || 'ok',
    output: string(output) ?? string(error),
    ...(durationMs >= 0 ? { durationMs } : {}),
  };
}

/** Returns the action of a call; some of it is known only after its end. */
function partAction(part: Json, servers: readonly string[]): Action {
  const { input, metadata } = object(part.state);
  const action = toolAction(string(part.tool) ?? 'tool', input, servers);
  if (action.type === 'command') {
    const exitCode = integer(object(metadata).exit);
    return Number.isSafeInteger(exitCode) ? { ...action, exitCode } : action;
  }
  return part.tool === 'apply_patch' ? (editAction(object(metadata)) ?? action) : action;
}

/** The files that an edit changes, as a call or a request for permission describes them. */
export function editAction({ files, filepath, diff }: Json): Action | undefined {
  // With several files, `filepath` is a list of their names.
  if (files !== undefined) {
    const changes = array(files).flatMap((file) => fileChange(object(file)));
    return changes.length > 0 ? { type: 'file.edit', changes } : undefined;
  }
  const path = string(filepath);
  if (path === undefined) return undefined;
  return { type: 'file.edit', changes: [{ path, kind: 'edit', diff: hunksOf(diff) }] };
}

function fileChange({ filePath, movePath, type, patch }: Json): FileChange[] {
  const path = string(filePath);
  if (path === undefined) return [];
  const newPath = string(movePath);
  const kind = type === 'add' || type === 'delete' ? type : 'edit';
  return [{ path, kind, diff: hunksOf(patch), ...(newPath === undefined ? {} : { newPath }) }];
}

/** A diff without the lines that name its file. */
function hunksOf(diff: unknown): string | undefined {
  const text = string(diff);
  const start = text?.indexOf('@@ ') ?? -1;
  return start === -1 ? text : text?.slice(start);
}

/** True if a call failed because a person or a rule denied it. */
export function isRefusal(error: unknown): boolean {
  return /^The user (?:rejected permission|has specified a rule which prevents)/.test(
    string(error) ?? '',
  );
}

/** Returns the usage of a step. OpenCode counts cached and reasoning tokens separately. */
export function stepUsage({ tokens, cost }: Json): Usage {
  const { input, output, reasoning, cache } = object(tokens);
  const cachedInputTokens = count(object(cache).read) ?? 0;
  const cacheWriteTokens = count(object(cache).write) ?? 0;
  const reasoningTokens = count(reasoning) ?? 0;
  const inputTokens = (count(input) ?? 0) + cachedInputTokens + cacheWriteTokens;
  const outputTokens = (count(output) ?? 0) + reasoningTokens;
  const costUsd = number(cost);
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    totalTokens: inputTokens + outputTokens,
    ...(costUsd !== undefined && costUsd >= 0 ? { costUsd } : {}),
  };
}
