import type { PermissionAnswer, Question, QuestionAnswer, RequestAnswer } from '@baton/protocol';
import type { DialectOut } from '../../dialect.ts';
import { actionOf } from '../../normalize/actions.ts';
import { array, type Json, object, string } from '../../normalize/json.ts';
import { type Gate, scopesOf } from './gate.ts';
import type { Tools } from './tools.ts';

type Pending = { tool: string; input: Json; callId: string | undefined };

/** The requests of Claude that wait for a person: permissions, plan approvals and questions. */
export class Requests {
  #out: DialectOut;
  #tools: Tools;
  #gate: Gate | undefined;
  #pending = new Map<string, Pending>();

  constructor(out: DialectOut, tools: Tools, gate: Gate | undefined) {
    this.#out = out;
    this.#tools = tools;
    this.#gate = gate;
  }

  /** Claude asks whether it may use a tool; one of the tools is itself a question to the person. */
  ask(requestId: string, request: Json): void {
    const tool = string(request.tool_name) ?? 'unknown';
    const input = object(request.input);
    const callId = string(request.tool_use_id);
    const delegation = this.#tools.delegationOf(request.agent_id);
    if (callId !== undefined) this.#tools.start(callId, tool, input, delegation);
    const parentId = callId === undefined ? delegation : this.#tools.parentOf(callId);
    this.#pending.set(requestId, { tool, input, callId });
    if (tool === 'AskUserQuestion') {
      const questions = array(input.questions).map(questionOf);
      return this.#out.emit({ type: 'question.requested', requestId, callId, questions, parentId });
    }
    this.#out.emit({
      type: 'permission.requested',
      requestId,
      callId,
      tool,
      action: actionOf(tool, input),
      input,
      reason: string(request.decision_reason),
      scopes: this.#gate ? scopesOf(tool, input, this.#gate.canRemember) : ['once'],
      editable: true,
      parentId,
    });
  }

  /** Gives Claude's form of an answer; nothing when the request is not waiting any more. */
  answer(requestId: string, answer: RequestAnswer): Json | undefined {
    const pending = this.#pending.get(requestId);
    if (!pending) return undefined;
    this.#pending.delete(requestId);
    if (!('decision' in answer)) return answered(pending, answer);
    if (pending.callId) {
      if (answer.decision === 'deny') this.#tools.deny(pending.callId);
      else if (answer.input !== undefined) this.#tools.edit(pending.callId, answer.input);
    }
    return this.#decided(pending, answer);
  }

  /** Claude does not want to know any more. */
  cancel(requestId: string): void {
    const pending = this.#pending.get(requestId);
    if (!pending) return;
    this.#pending.delete(requestId);
    this.#out.emit(
      pending.tool === 'AskUserQuestion'
        ? { type: 'question.resolved', requestId, by: 'agent' }
        : { type: 'permission.resolved', requestId, decision: 'cancelled', by: 'agent' },
    );
  }

  /** A call has its result although nobody answered here: in a recording, somebody else did. */
  settle(callId: string, isError: boolean): void {
    for (const [requestId, pending] of this.#pending) {
      if (pending.callId !== callId) continue;
      this.#pending.delete(requestId);
      const common = { requestId, by: 'person', synthetic: true } as const;
      if (pending.tool === 'AskUserQuestion') {
        this.#out.emit({ type: 'question.resolved', ...common });
        continue;
      }
      if (isError) this.#tools.deny(callId);
      const decision = isError ? 'deny' : 'allow';
      this.#out.emit({ type: 'permission.resolved', decision, ...common });
    }
  }

  #decided({ tool, input }: Pending, answer: PermissionAnswer): Json {
    if (answer.decision === 'deny') {
      const message = answer.reason ?? 'The user does not allow this.';
      return { behavior: 'deny', message, ...(answer.stop ? { interrupt: true } : {}) };
    }
    const updatedInput = answer.input ?? input;
    const updatedPermissions = this.#gate?.grant(
      tool,
      object(updatedInput),
      answer.scope ?? 'once',
    );
    if (updatedPermissions?.some(({ destination }) => destination === 'localSettings')) {
      this.#out.emit({
        type: 'notice',
        level: 'info',
        code: 'config_written',
        message: 'Claude Code keeps this rule in .claude/settings.local.json of the folder.',
      });
    }
    return {
      behavior: 'allow',
      updatedInput,
      ...(updatedPermissions?.length ? { updatedPermissions } : {}),
    };
  }
}

function questionOf(value: unknown, index: number): Question {
  const question = object(value);
  return {
    id: String(index + 1),
    header: string(question.header),
    question: string(question.question) ?? '',
    options: array(question.options).map((option) => ({
      label: string(object(option).label) ?? '',
      description: string(object(option).description),
    })),
    multiple: question.multiSelect === true,
    freeText: true,
  };
}

function answered({ input }: Pending, answer: QuestionAnswer): Json {
  if ('declined' in answer) {
    return { behavior: 'deny', message: answer.reason ?? 'The user does not want to answer.' };
  }
  const questions = array(input.questions).map(questionOf);
  const answers = questions.flatMap(({ id, question }) => {
    const chosen = answer.answers[id];
    return chosen ? [[question, chosen.join(', ')]] : [];
  });
  return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries(answers) } };
}
