import { deleteEntry } from '@baton/config/values/delete-entry';
import { array, isObject, type Json, object, string } from '@baton/config/values/json';
import type { DialectOut } from '@baton/engine/definition/dialect';
import { actionOf, planEntries } from '@baton/engine/normalize/actions';
import type { Action, PlanEntry, ToolOutcome } from '@baton/protocol/values';
import { changesOf, isDenial, REJECTED, toolOutput, wholeOutputOf } from './tool-result.ts';

type Call = { name: string; input: unknown; parentId: string | undefined; denied: boolean };

/** Follows tool calls from the model's request to the result. */
export class Tools {
  #out: DialectOut;
  #calls = new Map<string, Call>();
  /** The calls that started sub-agents, by the id of the sub-agent. */
  #delegations = new Map<string, string>();
  #todos = new TodoList();
  /** Calls without an id, whose results arrive in the same order. */
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
   * A call ends with the result that the model is shown, and with the details that the tool gives beside it.
   * False when it cannot be told which call.
   */
  finish(block: Json, details: unknown, parentId: string | undefined): boolean {
    const callId = string(block.tool_use_id) ?? this.#unnamed.shift();
    if (callId === undefined) return false;
    const call = this.#calls.get(callId);
    this.#calls = deleteEntry(this.#calls, callId);
    const { text, shown } = toolOutput(block.content, details);
    const outcome = outcomeOf(block, details, text, call?.denied ?? false);
    const wholeOutput = wholeOutputOf(details);
    this.#out.emit({
      type: 'tool.completed',
      callId,
      outcome,
      output: shown,
      ...(wholeOutput ? { wholeOutput } : {}),
      parentId: call?.parentId ?? parentId,
      ...(call ? { action: doneAction(call, details, text, outcome) } : {}),
    });
    if (call && outcome === 'ok' && call.parentId === undefined) this.#updatePlan(call, details);
    return true;
  }

  /** The turn is over: calls that were refused and never got a result end here, those of sub-agents may go on. */
  end(denials: unknown, keepsSubAgents: boolean): void {
    for (const denial of array(denials)) {
      const callId = string(object(denial).tool_use_id);
      if (callId === undefined || !this.#calls.has(callId)) continue;
      this.#out.emit({ type: 'tool.completed', callId, outcome: 'denied' });
    }
    const running = [...this.#calls].filter(
      ([, call]) => keepsSubAgents && call.parentId !== undefined,
    );
    this.#calls = new Map(running);
    this.#unnamed = [];
  }

  #nextUnnamed(): string {
    this.#unnamedCount += 1;
    const callId = `call-${this.#unnamedCount}`;
    this.#unnamed.push(callId);
    return callId;
  }

  #updatePlan({ name, input }: Call, details: unknown): void {
    const entries = this.#todos.update(name, object(input), object(details));
    if (entries) this.#out.emit({ type: 'plan.updated', entries });
  }
}

function outcomeOf(block: Json, details: unknown, text: string, denied: boolean): ToolOutcome {
  if (block.is_error !== true) return object(details).interrupted === true ? 'cancelled' : 'ok';
  if (denied || isDenial(text)) return 'denied';
  return details === REJECTED || text.startsWith('[Request interrupted') ? 'cancelled' : 'error';
}

function doneAction(call: Call, details: unknown, text: string, outcome: ToolOutcome): Action {
  const action = actionOf(call.name, call.input);
  if (action.type === 'file.edit' && outcome === 'ok') {
    return { ...action, changes: changesOf(object(details), action.changes) };
  }
  if (action.type !== 'command') return action;
  const failed = /^Exit code (\d{1,3})\b/.exec(text)?.[1];
  if (failed) return { ...action, exitCode: Number(failed) };
  const ended = outcome === 'ok' && isObject(details) && !details.backgroundTaskId;
  return ended && !action.background ? { ...action, exitCode: 0 } : action;
}

/** The todo list, put together from tools that write it whole or change one task at a time. */
class TodoList {
  #tasks = new Map<string, { text: string; status: string }>();

  /** Takes a call that succeeded; returns the whole list if the call changed it. */
  update(tool: string, input: Json, details: Json): PlanEntry[] | undefined {
    if (tool === 'TodoWrite') return planEntries(details.newTodos ?? input.todos);
    if (tool === 'TaskCreate') return this.#create(object(details.task), input);
    if (tool === 'TaskUpdate') return this.#change(string(input.taskId), input);
    if (tool === 'TaskList') return this.#replace(array(details.tasks).map(object));
    return undefined;
  }

  #create(task: Json, input: Json): PlanEntry[] | undefined {
    const id = string(task.id);
    if (id === undefined) return undefined;
    const text = string(task.subject) ?? string(input.subject) ?? '';
    this.#tasks.set(id, { text, status: 'pending' });
    return this.#entries();
  }

  #change(id: string | undefined, input: Json): PlanEntry[] | undefined {
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (!task || id === undefined) return undefined;
    task.text = string(input.subject) ?? task.text;
    task.status = string(input.status) ?? task.status;
    if (task.status === 'deleted') this.#tasks.delete(id);
    return this.#entries();
  }

  #replace(tasks: Json[]): PlanEntry[] {
    this.#tasks = new Map(
      tasks.map((task) => [
        string(task.id) ?? '',
        { text: string(task.subject) ?? '', status: string(task.status) ?? 'pending' },
      ]),
    );
    return this.#entries();
  }

  #entries(): PlanEntry[] {
    return planEntries([...this.#tasks.values()]) ?? [];
  }
}
