import { array, count, type Json, number, object, string } from '@baton/config/values/json';
import type { DialectOut } from '@baton/engine/definition/dialect';
import type { RpcId } from '@baton/engine/kit/json-rpc';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { planEntries } from '@baton/engine/normalize/actions';
import type { Usage } from '@baton/protocol/values';
import type { AcpAgent } from './agent.ts';
import { AcpRequests, type RequestsInput } from './requests.ts';
import { AcpToolCalls, contentText, parentOf, textOf } from './tool-calls.ts';

/** Updates that a run does not report. */
const IGNORED: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'available_commands_update',
  'session_info_update',
  'config_option_update',
]);
/** Updates that count in a turn only: before it they are history that the agent replays. */
const OF_TURN: ReadonlySet<unknown> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

/** The output of a call of OpenCode that ended with its turn. */
const ABORTED = /^Tool execution aborted/;

/** Turns the updates of a session into events. */
export class AcpUpdates {
  readonly calls: AcpToolCalls;
  readonly requests: AcpRequests;
  /** True while updates belong to a turn; always true in a recording. */
  isInTurn: boolean;
  #out: DialectOut;
  #agent: AcpAgent;
  #isRecording: boolean;
  #messages: MessageAssembly;
  /** The message that each speaker, by the call of its sub-agent, is in the middle of. */
  #open = new Map<string | undefined, OpenMessage>();
  #count = 0;
  /** The last message of the main agent in this turn. */
  lastText = '';
  #usage: Usage | undefined;
  /** Costs add up over the session. */
  #cost: { before: number | undefined; now: number | undefined };

  constructor(out: DialectOut, agent: AcpAgent, more: UpdatesInput) {
    this.#out = out;
    this.#agent = agent;
    this.#isRecording = more.isRecording;
    this.isInTurn = more.isRecording;
    this.#messages = new MessageAssembly(out.emit);
    this.calls = new AcpToolCalls(out.emit, agent, more.servers);
    this.requests = new AcpRequests(out.emit, { calls: this.calls, ...more });
    this.#cost = { before: more.isNew ? 0 : undefined, now: undefined };
  }

  /** Usage of the turn so far, as far as updates report it. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  beginTurn(): void {
    this.isInTurn = true;
    this.lastText = '';
    this.#usage = undefined;
    this.#cost = { before: this.#cost.now ?? this.#cost.before, now: this.#cost.now };
  }

  endTurn(wasCancelled: boolean): void {
    if (this.#isRecording) this.requests.inferRest(wasCancelled);
    else this.isInTurn = false;
    for (const parentId of [...this.#open.keys()]) this.#completeMessage(parentId);
    this.calls.clear();
  }

  /** Handles a request of the agent; returns false if it is unknown. */
  request(rpcId: RpcId, method: string, params: Json): boolean {
    this.#completeMessage(parentOf(object(params.toolCall)));
    return this.requests.receive(rpcId, method, params);
  }

  /** Reads an update; returns false if its kind is unknown. */
  read(update: Json): boolean {
    const kind = update.sessionUpdate;
    if (IGNORED.has(kind)) return true;
    if (OF_TURN.has(kind) && !this.isInTurn) return true;
    if (kind === 'agent_message_chunk') this.#chunk('text', update);
    else if (kind === 'agent_thought_chunk') this.#chunk('thinking', update);
    else if (kind === 'tool_call' || kind === 'tool_call_update') return this.#call(update);
    else if (kind === 'plan') this.#plan(update);
    else if (kind === 'usage_update') this.#consumed(update);
    else if (kind === 'current_mode_update') this.#mode(update);
    else if (kind === 'notice') this.#notice(update);
    else if (kind === 'compaction_update') this.#compaction(update);
    else return kind === 'compaction_summary_chunk';
    return true;
  }

  #chunk(kind: 'text' | 'thinking', update: Json): void {
    const text = contentText(update.content);
    if (text === undefined || this.#agent.isOwnText?.(text)) return;
    const parentId = parentOf(update);
    const nativeId = string(update.messageId);
    const open = this.#open.get(parentId);
    const continues = open && open.kind === kind && open.nativeId === nativeId;
    if (open && !continues) this.#completeMessage(parentId);
    const message = continues ? open : this.#begin(kind, parentId, nativeId);
    if (kind === 'text' && parentId === undefined)
      this.lastText = (continues ? this.lastText : '') + text;
    this.#messages.append(message, text);
  }

  #begin(
    kind: OpenMessage['kind'],
    parentId: string | undefined,
    nativeId: string | undefined,
  ): OpenMessage {
    this.#count += 1;
    const message = { messageId: `${nativeId ?? 'message'}-${this.#count}`, kind, parentId };
    const open = { ...message, nativeId };
    this.#open.set(parentId, open);
    return open;
  }

  #completeMessage(parentId: string | undefined): void {
    const open = this.#open.get(parentId);
    this.#open.delete(parentId);
    if (open) this.#messages.complete(open);
  }

  #call(update: Json): boolean {
    this.#completeMessage(parentOf(update));
    const callId = string(update.toolCallId);
    if (this.#isRecording && callId) {
      if (ABORTED.test(textOf(update))) this.requests.cancelTurn();
      this.requests.infer(callId, update.status);
    }
    return this.calls.read(update) !== undefined;
  }

  #plan(update: Json): void {
    const entries = planEntries(array(update.entries)) ?? [];
    this.#out.emit({ type: 'plan.updated', entries, parentId: parentOf(update) });
  }

  #consumed({ used, size, cost }: Json): void {
    const { amount, currency } = object(cost);
    const total = currency === 'USD' ? number(amount) : undefined;
    if (total !== undefined) this.#cost.now = total;
    const { before } = this.#cost;
    const costUsd = total === undefined || before === undefined ? undefined : total - before;
    this.#usage = {
      ...this.#usage,
      contextTokens: count(used),
      contextWindow: count(size),
      ...(costUsd === undefined ? {} : { costUsd: Math.max(costUsd, 0) }),
    };
    if (this.isInTurn) this.#out.emit({ type: 'usage.updated', usage: this.#usage });
  }

  #mode({ currentModeId }: Json): void {
    const message = `${this.#agent.label} is in mode "${string(currentModeId) ?? 'unknown'}" now.`;
    this.#out.emit({ type: 'notice', level: 'info', code: 'status', message });
  }

  #notice({ severity, message, title }: Json): void {
    const level = severity === 'error' || severity === 'warning' ? severity : 'info';
    const words = string(message) ?? string(title) ?? '';
    this.#out.emit({ type: 'notice', level, code: 'agent_warning', message: words });
  }

  #compaction({ status }: Json): void {
    const words = string(status) ?? 'started';
    const message = `${this.#agent.label} shortens its conversation: ${words}`;
    this.#out.emit({ type: 'notice', level: 'info', code: 'compaction', message });
  }
}

type UpdatesInput = Pick<RequestsInput, 'allowsAll' | 'reply'> & {
  isRecording: boolean;
  /** The names of the run's MCP servers. */
  servers: readonly string[];
  /** True if the session begins with this conversation. */
  isNew: boolean;
};

type OpenMessage = {
  messageId: string;
  kind: 'text' | 'thinking';
  parentId: string | undefined;
  nativeId: string | undefined;
};
