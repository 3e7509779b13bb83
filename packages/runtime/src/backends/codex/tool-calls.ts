import { isDeepStrictEqual } from 'node:util';
import type { Action } from '@baton/protocol';
import type { EventDraft } from '../../dialect.ts';
import { type Json, string } from '../../normalize/json.ts';
import { without } from '../../without.ts';
import { editAction } from './actions.ts';
import { type Place, placed } from './threads.ts';
import { outcomeOf, type Tool, toolOf } from './tools.ts';

type OpenCall = Tool & { place: Place; item: Json };

/** The tool calls of an app server, from their beginning to their end. */
export class ToolCalls {
  #emit: (draft: EventDraft) => void;
  #open = new Map<string, OpenCall>();
  /** Calls that outlived their turn, and how it ended. */
  #left = new Map<string, 'background' | 'stopped'>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
  }

  /** Whether an item is a tool call; if so, it has begun. */
  start(item: Json, place: Place): boolean {
    const tool = toolOf(item);
    const callId = string(item.id);
    if (!tool || callId === undefined) return false;
    this.#open.set(callId, { ...tool, place, item });
    const { name, action, input } = tool;
    this.#emit({ type: 'tool.started', callId, name, action, input, ...placed(place) });
    return true;
  }

  /** Whether an item is a tool call; if so, it has ended. */
  complete(item: Json, place: Place): boolean {
    const callId = string(item.id);
    const begun = callId === undefined ? undefined : this.#open.get(callId);
    const tool = toolOf(begun ? { ...begun.item, ...item } : item);
    if (!tool || callId === undefined) return false;
    this.#open = without(this.#open, callId);
    if (this.#late(callId, item, tool)) return true;
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
      ...placed(place),
    });
    return true;
  }

  /** More output of a running command. The first piece may be missing; the end of the call has all of it. */
  output(callId: string, output: string): void {
    const call = this.#open.get(callId);
    if (call && output !== '')
      this.#emit({ type: 'tool.updated', callId, output, ...placed(call.place) });
  }

  /** The patch of a running edit has grown. */
  patch(callId: string, params: Json): void {
    const call = this.#open.get(callId);
    if (!call) return;
    call.action = editAction(params);
    this.#emit({ type: 'tool.updated', callId, action: call.action, ...placed(call.place) });
  }

  /** What a running call does. */
  actionOf(callId: string): Action | undefined {
    return this.#open.get(callId)?.action;
  }

  /** The running call of an MCP tool that a question about it must be for: the question does not say. */
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

  /** The turn has ended well: the commands that still run go on in the background. */
  leave(): void {
    for (const [callId, { name, action, place }] of this.#open) {
      if (action.type !== 'command') continue;
      const left = { ...action, background: true };
      this.#emit({
        ...{ type: 'tool.completed', callId, name, action: left, outcome: 'ok', synthetic: true },
        ...placed(place),
      });
      this.#emit(
        backgroundNotice(`A command goes on in the background: ${action.command}`, callId),
      );
      this.#left.set(callId, 'background');
    }
    this.abandon();
  }

  /** The turn has ended badly: the recorder ends what is open, and what comes late is no news. */
  abandon(): void {
    for (const callId of this.#open.keys()) {
      if (!this.#left.has(callId)) this.#left.set(callId, 'stopped');
    }
    this.#open.clear();
  }

  #late(callId: string, item: Json, { action }: Tool): boolean {
    const how = this.#left.get(callId);
    if (how === undefined) return false;
    this.#left.delete(callId);
    if (how === 'background' && action.type === 'command') {
      const words = `A command in the background has ended: ${action.command}`;
      this.#emit(backgroundNotice(words, callId, item.exitCode));
    }
    return true;
  }
}

function backgroundNotice(message: string, callId: string, exitCode?: unknown): EventDraft {
  const data = { callId, exitCode };
  return { type: 'notice', level: 'info', code: 'background_task', message, data };
}
