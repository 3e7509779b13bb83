import { array, type Json, object, string } from '@baton/config/values/json';
import type { DialectOut } from '@baton/engine/definition/dialect';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import { actionOf } from '@baton/engine/normalize/actions';
import type {
  PermissionAnswer,
  Question,
  QuestionAnswer,
  RequestAnswer,
} from '@baton/protocol/values';
import type { Tools } from '../../dialects/claude-stream-json/tools.ts';
import { type PermissionHook, scopesOf } from './permission-hook.ts';

type Call = { tool: string; input: Json; callId: string | undefined };

/** The requests of Claude that wait for a person: permissions, plan approvals and questions. */
export class PermissionRequests {
  #out: DialectOut;
  #tools: Tools;
  #hook: PermissionHook | undefined;
  #pending: PendingRequests<Json>;

  constructor(out: DialectOut, tools: Tools, hook: PermissionHook | undefined) {
    this.#out = out;
    this.#tools = tools;
    this.#hook = hook;
    this.#pending = new PendingRequests(out.emit);
  }

  /** Claude asks whether it may use a tool; one of the tools is itself a question to the person. */
  ask(requestId: string, request: Json): void {
    const tool = string(request.tool_name) ?? 'unknown';
    const input = object(request.input);
    const callId = string(request.tool_use_id);
    const delegation = this.#tools.delegationOf(request.agent_id);
    if (callId !== undefined) this.#tools.start(callId, tool, input, delegation);
    const parentId = callId === undefined ? delegation : this.#tools.parentOf(callId);
    if (tool === 'AskUserQuestion') {
      const questions = array(input.questions).map(questionOf);
      return this.#pending.askQuestions({ requestId, callId, questions, parentId }, (answer) =>
        questionReply(input, answer),
      );
    }
    const call = { tool, input, callId };
    this.#pending.askPermission(
      {
        requestId,
        callId,
        tool,
        action: actionOf(tool, input),
        input,
        reason: string(request.decision_reason),
        scopes: this.#hook ? scopesOf(tool, input, this.#hook.canRemember) : ['once'],
        editable: true,
        parentId,
      },
      (answer) => this.#permissionReply(call, answer),
    );
  }

  /** Converts an answer into Claude's format; undefined if the request is no longer pending. */
  answer(requestId: string, answer: RequestAnswer): Json | undefined {
    return this.#pending.answer(requestId, answer);
  }

  /** Claude has withdrawn a request. */
  cancel(requestId: string): void {
    this.#pending.cancel(requestId);
  }

  /** The call has its result without an answer here: in a recording, it was answered elsewhere. */
  settle(callId: string, isError: boolean): void {
    const wasAsked = this.#pending.infer(callId, isError ? 'deny' : 'allow');
    if (wasAsked && isError) this.#tools.deny(callId);
  }

  #permissionReply({ tool, input, callId }: Call, answer: PermissionAnswer): Json {
    if (answer.decision === 'deny') {
      if (callId) this.#tools.deny(callId);
      const message = answer.reason ?? 'Denied by the user.';
      return { behavior: 'deny', message, ...(answer.stop ? { interrupt: true } : {}) };
    }
    if (callId && answer.input !== undefined) this.#tools.edit(callId, answer.input);
    const updatedInput = answer.input ?? input;
    const updatedPermissions = this.#hook?.grant(
      tool,
      object(updatedInput),
      answer.scope ?? 'once',
    );
    if (updatedPermissions?.some(({ destination }) => destination === 'localSettings')) {
      this.#out.emit({
        type: 'notice',
        level: 'info',
        code: 'config_written',
        message: 'Claude Code saves this rule in .claude/settings.local.json in the folder.',
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

function questionReply(input: Json, answer: QuestionAnswer): Json {
  if ('declined' in answer) {
    return { behavior: 'deny', message: answer.reason ?? 'The user declined to answer.' };
  }
  const questions = array(input.questions).map(questionOf);
  const answers = questions.flatMap(({ id, question }) => {
    const chosen = answer.answers[id];
    return chosen ? [[question, chosen.join(', ')]] : [];
  });
  return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries(answers) } };
}
