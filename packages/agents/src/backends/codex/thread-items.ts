import { isDeepStrictEqual } from 'node:util';
import { deleteEntry } from '@baton/config/values/delete-entry';
import { array, type Json, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import type { AssembledMessage, MessageAssembly } from '@baton/engine/kit/message-assembly';
import type { Action } from '@baton/protocol/values';
import { editAction, outcomeOf, type Tool, toolOf } from '../../dialects/codex-jsonl/tools.ts';

/** Location of an event: its turn, and the tool call that started the sub-agent. */
export type Place = {
  threadId: string;
  turnId?: string | undefined;
  parentId?: string | undefined;
};

/** The part of a place that events carry. */
export function placeFields({ turnId, parentId }: Place): Pick<Place, 'turnId' | 'parentId'> {
  return { turnId, parentId };
}

/** The threads that speak through one app server: the one of the run, and those of its sub-agents. */
export class Threads {
  /** The thread of the run itself. */
  main: string | undefined;
  #parents = new Map<string, string>();
  #openCall: () => string | undefined;

  /** `openCall` returns the running sub-agent call, for threads that emit events before their call names them. */
  constructor(openCall: () => string | undefined) {
    this.#openCall = openCall;
  }

  /** True if a notification is about the run itself; the first thread to send one is the run's. */
  isMain(params: Json): boolean {
    const threadId = string(params.threadId);
    this.main ??= threadId;
    return threadId === undefined || threadId === this.main;
  }

  /** A tool call has started these sub-agents. */
  addSubagents(callId: string, threadIds: readonly unknown[]): void {
    for (const threadId of threadIds) {
      if (typeof threadId === 'string') this.#parents.set(threadId, callId);
    }
  }

  /** Returns the place of a notification or request. */
  place(params: Json): Place {
    const threadId = string(params.threadId) ?? '';
    const turnId = string(params.turnId) ?? string(object(params.turn).id);
    const isSubagent = threadId !== '' && this.main !== undefined && threadId !== this.main;
    return { threadId, turnId, parentId: isSubagent ? this.#parentOf(threadId) : undefined };
  }

  #parentOf(threadId: string): string {
    const parent = this.#parents.get(threadId) ?? this.#openCall() ?? threadId;
    this.#parents.set(threadId, parent);
    return parent;
  }
}

type Parts = {
  emit(draft: EventDraft): void;
  messages: MessageAssembly;
  calls: ToolCalls;
  threads: Threads;
};

/** Items that are reported only when they are complete. */
const REPORTED_WHEN_COMPLETE: ReadonlySet<unknown> = new Set([
  // Its words follow; a model that refuses begins a message and says nothing.
  'agentMessage',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'functionCallOutput',
  'hookPrompt',
  'plan',
  'reasoning',
  'subAgentActivity',
  'userMessage',
]);

/** The items of a thread: what was said, thought and done. */
export class ThreadItems {
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An item has started; false if it is unknown. */
  start(item: Json, place: Place): boolean {
    return REPORTED_WHEN_COMPLETE.has(item.type) || this.#parts.calls.start(item, place);
  }

  /** An item is complete; false if it is unknown. */
  complete(item: Json, place: Place): boolean {
    const { messages, calls, threads } = this.#parts;
    const id = string(item.id) ?? '';
    switch (item.type) {
      case 'agentMessage':
      case 'plan':
        messages.complete(messageIn(place, id, 'text'), string(item.text) ?? '');
        return true;
      case 'reasoning':
        messages.complete(messageIn(place, id, 'thinking'), ...texts(item.summary));
        messages.complete(messageIn(place, rawThought(id), 'thinking'), ...texts(item.content));
        return true;
      case 'contextCompaction':
        return this.#notice('compaction', 'Context compacted.', place);
      case 'exitedReviewMode':
        return this.#notice('status', string(item.review) ?? '', place);
      case 'hookPrompt':
        return this.#notice('hook', 'A hook added text to the prompt.', place);
      case 'subAgentActivity':
        threads.addSubagents(id, [item.agentThreadId]);
        return this.#notice(
          'status',
          `Sub-agent ${string(item.agentPath)}: ${string(item.kind)}`,
          place,
        );
      case 'enteredReviewMode':
      case 'functionCallOutput':
      case 'userMessage':
        return true;
      case 'collabAgentToolCall':
        if (item.tool === 'spawnAgent') threads.addSubagents(id, array(item.receiverThreadIds));
        return calls.complete(item, place);
      default:
        return calls.complete(item, place);
    }
  }

  #notice(code: string, message: string, place: Place): true {
    this.#parts.emit({ type: 'notice', level: 'info', code, message, ...placeFields(place) });
    return true;
  }
}

/** A message of a thread, by the item that it comes from. */
export function messageIn(
  place: Place,
  messageId: string,
  kind: AssembledMessage['kind'],
): AssembledMessage {
  return { messageId, kind, speaker: place.threadId, ...placeFields(place) };
}

/** Some models show their thoughts as they are, beside a summary of them: two messages from one item. */
export function rawThought(itemId: string): string {
  return `${itemId}:raw`;
}

function texts(parts: unknown): string[] {
  return array(parts).map((part) => string(part) ?? '');
}

type OpenCall = Tool & { place: Place; item: Json };

/** The tool calls of an app server, from their beginning to their end. */
export class ToolCalls {
  #emit: (draft: EventDraft) => void;
  #open = new Map<string, OpenCall>();
  /** Calls that outlived their turn, and what became of them. */
  #outlived = new Map<string, 'background' | 'stopped'>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
  }

  /** Starts a tool call; returns false if the item is not one. */
  start(item: Json, place: Place): boolean {
    const tool = toolOf(item);
    const callId = string(item.id);
    if (!tool || callId === undefined) return false;
    this.#open.set(callId, { ...tool, place, item });
    const { name, action, input } = tool;
    this.#emit({ type: 'tool.started', callId, name, action, input, ...placeFields(place) });
    return true;
  }

  /** Ends a tool call; returns false if the item is not one. */
  complete(item: Json, place: Place): boolean {
    const callId = string(item.id);
    const begun = callId === undefined ? undefined : this.#open.get(callId);
    const tool = toolOf(begun ? { ...begun.item, ...item } : item);
    if (!tool || callId === undefined) return false;
    this.#open = deleteEntry(this.#open, callId);
    if (this.#endedLate(callId, item, tool)) return true;
    const { name, action, output, durationMs } = tool;
    const outcome = outcomeOf(item);
    this.#emit({
      type: 'tool.completed',
      callId,
      name,
      action,
      outcome,
      output,
      durationMs,
      ...placeFields(place),
    });
    return true;
  }

  /** More output of a running command. The first piece may be missing; the end of the call has all of it. */
  output(callId: string, output: string): void {
    const call = this.#open.get(callId);
    if (call && output !== '')
      this.#emit({ type: 'tool.updated', callId, output, ...placeFields(call.place) });
  }

  /** The patch of a running edit has grown. */
  patch(callId: string, params: Json): void {
    const call = this.#open.get(callId);
    if (!call) return;
    call.action = editAction(params);
    this.#emit({ type: 'tool.updated', callId, action: call.action, ...placeFields(call.place) });
  }

  /** Returns the action of a running call. */
  actionOf(callId: string): Action | undefined {
    return this.#open.get(callId)?.action;
  }

  /** Returns the running MCP tool call that a question refers to: the question does not name it. */
  mcpCall(server: string, input: unknown): string | undefined {
    const calls = [...this.#open].filter(
      ([, { action }]) => action.type === 'mcp' && action.server === server,
    );
    const same = calls.find(([, call]) => isDeepStrictEqual(call.input, input));
    return (same ?? calls.at(-1))?.[0];
  }

  /** The last sub-agent call that has begun and not ended. */
  get subagentCall(): string | undefined {
    return [...this.#open].findLast(([, { action }]) => action.type === 'subagent')?.[0];
  }

  /** The turn ended well: commands that still run continue in the background. */
  continueInBackground(): void {
    for (const [callId, { name, action, place }] of this.#open) {
      if (action.type !== 'command') continue;
      const left = { ...action, background: true };
      this.#emit({
        ...{ type: 'tool.completed', callId, name, action: left, outcome: 'ok', synthetic: true },
        ...placeFields(place),
      });
      this.#emit(
        backgroundNotice(`A command keeps running in the background: ${action.command}`, callId),
      );
      this.#outlived.set(callId, 'background');
    }
    this.abandon();
  }

  /** The turn failed: the recorder closes the open calls, and later reports of them are ignored. */
  abandon(): void {
    for (const callId of this.#open.keys()) {
      if (!this.#outlived.has(callId)) this.#outlived.set(callId, 'stopped');
    }
    this.#open.clear();
  }

  #endedLate(callId: string, item: Json, { action }: Tool): boolean {
    const how = this.#outlived.get(callId);
    if (how === undefined) return false;
    this.#outlived.delete(callId);
    if (how === 'background' && action.type === 'command') {
      const words = `A background command ended: ${action.command}`;
      this.#emit(backgroundNotice(words, callId, item.exitCode));
    }
    return true;
  }
}

function backgroundNotice(message: string, callId: string, exitCode?: unknown): EventDraft {
  const data = { callId, exitCode };
  return { type: 'notice', level: 'info', code: 'background_task', message, data };
}
