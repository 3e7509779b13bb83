import type { Action, ToolOutcome } from '@baton/protocol';
import type { DialectOut } from '../../dialect.ts';
import { actionOf } from '../../normalize/actions.ts';
import { array, isObject, type Json, object, string } from '../../normalize/json.ts';
import { without } from '../../without.ts';
import { changesOf } from './changes.ts';
import { PlanBoard } from './plan-board.ts';
import { isDenial, REJECTED, toolOutput, wholeOutputOf } from './tool-output.ts';

type Call = { name: string; input: unknown; parentId: string | undefined; denied: boolean };

/** Follows tool calls from the model's request to the result. */
export class Tools {
  #out: DialectOut;
  #calls = new Map<string, Call>();
  /** The calls that started sub-agents, by the id of the sub-agent. */
  #delegations = new Map<string, string>();
  #plan = new PlanBoard();
  /** Calls without an id of their own, whose results come in the same order. */
  #unnamed: string[] = [];
  #unnamedCount = 0;

  constructor(out: DialectOut) {
    this.#out = out;
  }

  /** A call begins; a permission request may tell of it before the message that holds it. */
  start(
    givenId: string | undefined,
    name: string,
    input: unknown,
    parentId: string | undefined,
  ): void {
    const callId = givenId ?? this.#nextUnnamed();
    if (this.#calls.has(callId)) return;
    this.#calls.set(callId, { name, input, parentId, denied: false });
    const action = actionOf(name, input);
    this.#out.emit({ type: 'tool.started', callId, name, action, input, parentId });
  }

  parentOf(callId: string): string | undefined {
    return this.#calls.get(callId)?.parentId;
  }

  /** A call has started a sub-agent. */
  delegate(started: Json): void {
    const agentId = string(started.task_id);
    const callId = string(started.tool_use_id);
    if (agentId && callId) this.#delegations.set(agentId, callId);
  }

  /** The call that started a sub-agent. */
  delegationOf(agentId: unknown): string | undefined {
    return this.#delegations.get(string(agentId) ?? '');
  }

  /** The call is carried out with another input. */
  edit(callId: string, input: unknown): void {
    const call = this.#calls.get(callId);
    if (call) call.input = input;
  }

  /** The call will not be carried out. */
  deny(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.denied = true;
  }

  /**
   * A call ends with the result that the model is shown, and with the tool's own account of it.
   * False when it cannot be told which call.
   */
  finish(block: Json, account: unknown, parentId: string | undefined): boolean {
    const callId = string(block.tool_use_id) ?? this.#unnamed.shift();
    if (callId === undefined) return false;
    const call = this.#calls.get(callId);
    this.#calls = without(this.#calls, callId);
    const { text, shown } = toolOutput(block.content, account);
    const outcome = outcomeOf(block, account, text, call?.denied ?? false);
    const wholeOutput = wholeOutputOf(account);
    this.#out.emit({
      type: 'tool.completed',
      callId,
      outcome,
      output: shown,
      ...(wholeOutput ? { wholeOutput } : {}),
      parentId: call?.parentId ?? parentId,
      ...(call ? { action: doneAction(call, account, text, outcome) } : {}),
    });
    if (call && outcome === 'ok' && call.parentId === undefined) this.#updatePlan(call, account);
    return true;
  }

  /** The turn is over: calls that were refused and never got a result end here. */
  end(denials: unknown): void {
    for (const denial of array(denials)) {
      const callId = string(object(denial).tool_use_id);
      if (callId === undefined || !this.#calls.has(callId)) continue;
      this.#out.emit({ type: 'tool.completed', callId, outcome: 'denied' });
    }
    this.#calls.clear();
    this.#unnamed = [];
  }

  #nextUnnamed(): string {
    this.#unnamedCount += 1;
    const callId = `call-${this.#unnamedCount}`;
    this.#unnamed.push(callId);
    return callId;
  }

  #updatePlan({ name, input }: Call, account: unknown): void {
    const entries = this.#plan.update(name, object(input), object(account));
    if (entries) this.#out.emit({ type: 'plan.updated', entries });
  }
}

function outcomeOf(block: Json, account: unknown, text: string, denied: boolean): ToolOutcome {
  if (block.is_error !== true) return object(account).interrupted === true ? 'cancelled' : 'ok';
  if (denied || isDenial(text)) return 'denied';
  return account === REJECTED || text.startsWith('[Request interrupted') ? 'cancelled' : 'error';
}

function doneAction(call: Call, account: unknown, text: string, outcome: ToolOutcome): Action {
  const action = actionOf(call.name, call.input);
  if (action.type === 'file.edit' && outcome === 'ok') {
    return { ...action, changes: changesOf(object(account), action.changes) };
  }
  if (action.type !== 'command') return action;
  const failed = /^Exit code (\d{1,3})\b/.exec(text)?.[1];
  if (failed) return { ...action, exitCode: Number(failed) };
  const ended = outcome === 'ok' && isObject(account) && !account.backgroundTaskId;
  return ended && !action.background ? { ...action, exitCode: 0 } : action;
}
