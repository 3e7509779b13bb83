import { array, isObject, type Json, number, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import { agentWarning } from '@baton/engine/kit/notices';
import { actionOf, TEXT_KEYS } from '@baton/engine/normalize/actions';
import { fileDiff } from '@baton/engine/normalize/diff';
import type { Action, FileChange } from '@baton/protocol/values';
import type { AcpAgent } from './agent.ts';

type Call = {
  /** All that the agent has said of it, the last word on each field. */
  fields: Json;
  name: string;
  action: Action;
  output: string;
  state: 'open' | 'refused' | 'ended';
};

/** The tool calls of a session. An agent may begin a call with an update, or with a request for permission. */
export class AcpToolCalls {
  #emit: (draft: EventDraft) => void;
  #agent: AcpAgent;
  /** The names of the run's MCP servers. */
  #servers: readonly string[];
  #calls = new Map<string, Call>();
  /** True once a recorded client has cancelled the turn. */
  #isCancelled = false;

  constructor(emit: (draft: EventDraft) => void, agent: AcpAgent, servers: readonly string[] = []) {
    this.#emit = emit;
    this.#agent = agent;
    this.#servers = servers;
  }

  /** Reads a call or an update of one; returns its current state, or undefined if it has no id. */
  read(news: Json): { callId: string; name: string; action: Action; input: unknown } | undefined {
    const callId = string(news.toolCallId);
    if (callId === undefined) return undefined;
    const call = this.#updated(callId, news);
    const { name, action, fields } = call;
    if (call.state !== 'ended') this.#progress(callId, call);
    if (call.state !== 'open') forget(call);
    return { callId, name, action, input: fields.rawInput };
  }

  /** A person refused the call: some agents say nothing more of it. */
  refuse(callId: string): void {
    const call = this.#calls.get(callId);
    if (call?.state !== 'open') return;
    call.state = 'refused';
    forget(call);
    this.#emit({ type: 'tool.completed', callId, outcome: 'denied' });
  }

  /** The recorded turn was cancelled: later failures result from the cancellation. */
  cancelTurn(): void {
    this.#isCancelled = true;
  }

  /** A turn ends: its calls do not continue in the next one. */
  clear(): void {
    this.#calls.clear();
    this.#isCancelled = false;
  }

  #updated(callId: string, news: Json): Call {
    const known = this.#calls.get(callId);
    const given = Object.entries(news).filter(([, value]) => value !== null && value !== undefined);
    const fields = {
      ...known?.fields,
      ...withSharedStrings(Object.fromEntries(given), known?.fields),
    };
    const name = known?.name ?? nameOf(fields, this.#agent);
    const action = this.#actionOf(fields);
    if (!known) {
      const call: Call = { fields, name, action, output: '', state: 'open' };
      this.#calls.set(callId, call);
      const input = fields.rawInput;
      this.#emit({ type: 'tool.started', callId, name, action, input, parentId: parentOf(news) });
      return call;
    }
    const isNews = JSON.stringify(action) !== JSON.stringify(known.action);
    if (isNews && known.state === 'open') this.#emit({ type: 'tool.updated', callId, action });
    known.fields = fields;
    known.action = action;
    return known;
  }

  #actionOf(fields: Json): Action {
    const name = toolOf(fields, this.#agent);
    const called = this.#agent.mcpAction?.(name, fields.rawInput, this.#servers);
    return called ?? callAction(name, fields);
  }

  #progress(callId: string, call: Call): void {
    const { status } = call.fields;
    if (status === 'completed' || status === 'failed') return this.#end(callId, call);
    const text = textOf(call.fields);
    const more = text.startsWith(call.output) ? text.slice(call.output.length) : '';
    if (more === '' || status !== 'in_progress' || call.state !== 'open') return;
    call.output = text;
    this.#emit({ type: 'tool.updated', callId, output: more });
  }

  #end(callId: string, call: Call): void {
    const { fields, action, state } = call;
    const isDone = fields.status === 'completed';
    call.state = 'ended';
    if (state === 'refused') {
      const message = `${this.#agent.label} carried out a call that was refused: ${call.name}`;
      if (isDone) this.#emit(agentWarning(message, { data: { callId } }));
      return;
    }
    const output = textOf(fields) || rawText(fields.rawOutput);
    const exitCode = exitCodeOf(fields.rawOutput) ?? this.#agent.exitCode?.(output);
    const ended =
      action.type === 'command' && exitCode !== undefined ? { ...action, exitCode } : action;
    const isFailure = !isDone || (action.type === 'command' && !!exitCode);
    this.#emit({
      type: 'tool.completed',
      callId,
      action: ended,
      outcome: isFailure ? (this.#isCancelled ? 'cancelled' : 'error') : 'ok',
      ...(output === '' ? {} : { output }),
    });
  }
}

/** Length from which a string is shared. */
const LONG = 1000;

/** Replaces long strings by equal ones that are kept already: agents repeat whole files in each update of a call. */
function withSharedStrings(news: Json, kept: Json = {}): Json {
  const seen = new Map<string, string>();
  const share = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length < LONG) return value;
      const known = seen.get(value) ?? value;
      seen.set(known, known);
      return known;
    }
    if (Array.isArray(value)) return value.map(share);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, share(each)]));
  };
  share(kept);
  return share(news) as Json;
}

/** Drops what a call that is over was about, which may be megabytes, and a turn may have thousands of calls. */
function forget(call: Call): void {
  const { status } = call.fields;
  call.fields = { status };
  call.action = { type: 'other' };
  call.output = '';
}

/** The call of the sub-agent that an update belongs to. Agents tell it outside the protocol, each in its own words. */
export function parentOf({ _meta: meta }: Json): string | undefined {
  const places = [object(meta), ...Object.values(object(meta)).map(object)];
  const ids = places.map(
    (place) => place.parentToolUseId ?? place.parentToolCallId ?? place.parent_tool_use_id,
  );
  return ids.map(string).find((id) => id !== undefined);
}

function toldName(fields: Json, agent: AcpAgent): string | undefined {
  const own = Object.values(object(fields._meta)).map((value) => string(object(value).toolName));
  const told = string(fields.name) ?? own.find((name) => name !== undefined);
  return told ?? agent.toolName?.(fields);
}

/** The name of a call for people: a title of one word tells more than the kind, unless it repeats the command. */
function nameOf(fields: Json, agent: AcpAgent): string {
  const title = string(fields.title);
  const isName = fields.kind !== 'execute' || title !== object(fields.rawInput).command;
  const word = title !== undefined && isName && /^\w[\w.:-]*$/.test(title) ? title : undefined;
  return toldName(fields, agent) ?? word ?? string(fields.kind) ?? title ?? 'tool';
}

/** The name by which a call is judged. The title is not: an MCP server may choose it. */
function toolOf(fields: Json, agent: AcpAgent): string {
  return toldName(fields, agent) ?? string(fields.kind) ?? 'tool';
}

/**
 * Action types that the name of a tool may select, by the kind of the call: a name never makes a call more harmless.
 */
const KIND_TYPES: Readonly<Record<string, readonly Action['type'][]>> = {
  execute: ['command', 'mcp', 'subagent'],
  edit: ['file.edit', 'command', 'mcp'],
  delete: ['file.edit', 'command', 'mcp'],
  move: ['file.edit', 'command', 'mcp'],
};
/**
 * The kinds of calls that edit files. A name does not make a call an edit: tools of MCP servers have the kind `other`,
 * which is also the meaning of a missing kind.
 */
const EDITS: ReadonlySet<unknown> = new Set(['edit', 'delete', 'move']);

function fitsKind({ type }: Action, kind: unknown): boolean {
  if (type === 'other' || (type === 'file.edit' && !EDITS.has(kind))) return false;
  const name = String(kind);
  const types = Object.hasOwn(KIND_TYPES, name) ? KIND_TYPES[name] : undefined;
  return types?.includes(type) ?? true;
}

/**
 * Returns the action of a call: by the tool's name and input if both are known, otherwise by the fields of the
 * protocol.
 */
function callAction(name: string, fields: Json): Action {
  const input = object(fields.rawInput);
  const told = Object.keys(input).length > 0 ? actionOf(name, input) : undefined;
  const byName = told && fitsKind(told, fields.kind) ? told : undefined;
  if (byName && byName.type !== 'file.edit') return byName;
  if (EDITS.has(fields.kind)) {
    const changes = changesOf(fields, byName?.type === 'file.edit' ? byName.changes : []);
    if (changes.length > 0) return { type: 'file.edit', changes };
  }
  return byKind(fields, input);
}

function byKind(fields: Json, input: Json): Action {
  const title = string(fields.title) ?? '';
  const [location] = pathsOf(fields);
  if (fields.kind === 'execute') {
    const command = string(input.command) ?? string(input.cmd) ?? title;
    return { type: 'command', command };
  }
  if (fields.kind === 'read') {
    return { type: 'file.read', path: location ?? string(input.path) ?? title };
  }
  if (fields.kind === 'search') return { type: 'search', query: title, path: location };
  if (fields.kind === 'fetch') return { type: 'fetch', url: string(input.url), query: title };
  return { type: 'other', description: title || undefined };
}

/** Every file that an edit names, in its diffs, its input or its locations: none may slip past a rule for paths. */
function changesOf(fields: Json, byInput: readonly FileChange[]): FileChange[] {
  const kind = fields.kind === 'delete' ? 'delete' : 'edit';
  const changes = array(fields.content).flatMap((block) => diffOf(object(block)));
  const named = [
    ...byInput.filter(({ path }) => path !== ''),
    ...[...inputPaths(fields.rawInput), ...pathsOf(fields)].map(changed),
  ];
  function changed(path: string): FileChange {
    return { path, kind };
  }
  for (const change of named) {
    if (!changes.some(({ path }) => path === change.path)) changes.push(change);
  }
  return changes;
}

const PATH_KEY = /path|file|uri|dest|target|source|folder|directory|^(?:to|from)$/i;

/** Returns the values of arguments that sound like paths, for display: policies check the whole input. */
function inputPaths(input: unknown): string[] {
  return Object.entries(object(input)).flatMap(([key, value]) => {
    if (!PATH_KEY.test(key) || TEXT_KEYS.has(key)) return [];
    return (Array.isArray(value) ? value : [value]).flatMap((each) => string(each) || []);
  });
}

function diffOf({ type, path, oldText, newText }: Json): FileChange[] {
  if (type !== 'diff' || typeof path !== 'string') return [];
  const after = string(newText) ?? '';
  const before = string(oldText);
  if (!before) return [{ path, kind: 'add', diff: after }];
  return [{ path, kind: 'edit', diff: fileDiff(before, after) }];
}

function pathsOf({ locations }: Json): string[] {
  return array(locations).flatMap((place) => string(object(place).path) ?? []);
}

/** The text that a call shows; a terminal would be the client's own, and none is offered. */
export function textOf({ content }: Json): string {
  const texts = array(content).flatMap((block) => {
    const { type, content: inner } = object(block);
    return type === 'content' ? (contentText(inner) ?? []) : [];
  });
  return texts.join('\n');
}

/** The text of a content block: words, or what a resource says. */
export function contentText(block: unknown): string | undefined {
  const { type, text, uri, resource } = object(block);
  if (type === 'text') return string(text);
  if (type === 'resource_link') return string(uri);
  return type === 'resource' ? string(object(resource).text) : undefined;
}

/** Returns the raw output of a call as text, if the call showed nothing. */
function rawText(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  const { output, error, stdout, stderr } = object(raw);
  const told = string(output) ?? string(error);
  if (told !== undefined) return told;
  const streams = [stdout, stderr].flatMap((stream) => string(stream) || []);
  if (streams.length > 0) return streams.join('\n');
  return isObject(raw) && Object.keys(raw).length > 0 ? JSON.stringify(raw) : '';
}

function exitCodeOf(raw: unknown): number | undefined {
  const places = [object(raw), object(object(raw).metadata)];
  const codes = places.map(({ exitCode, exit_code: code, exit }) => exitCode ?? code ?? exit);
  return codes.map(number).find((code) => code !== undefined);
}
