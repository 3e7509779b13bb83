import { array, type Json, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import { elicitationResult, elicitedQuestions } from '@baton/engine/kit/elicitation';
import type { RpcId } from '@baton/engine/kit/json-rpc';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import type {
  Action,
  PermissionAnswer,
  PermissionRequest,
  PermissionScope,
  Question,
  QuestionAnswer,
  RequestAnswer,
} from '@baton/protocol/values';
import { commandAction, mcpToolName } from '../../dialects/codex-jsonl/tools.ts';
import { type Place, placeFields, type ToolCalls } from './thread-items.ts';

/** An answer in the format of Codex, and its side effects. */
export type Reply = {
  rpcId: RpcId;
  result: Json;
  place: Place;
  /** Reason for a refusal, kept here because Codex accepts none. */
  reason?: string | undefined;
  /** The run must end, and this answer alone does not end it. */
  interrupts: boolean;
  /** The run ends because a person said so. */
  stops: boolean;
  /** Notice about a rule that Codex stores permanently because of the answer. */
  written?: string | undefined;
};

/** Requests of an app server that await an answer. */
export class AppServerRequests {
  #pending: PendingRequests<Reply>;
  #calls: ToolCalls;
  /** Request ids, by the number under which Codex withdraws a request. */
  #requestIds = new Map<unknown, string>();
  /** Grants for the session that Codex itself does not remember. */
  #grants = new Set<string>();

  constructor(emit: (draft: EventDraft) => void, calls: ToolCalls) {
    this.#pending = new PendingRequests(emit);
    this.#calls = calls;
  }

  /** Handles a request: it is pending, settled immediately, or unknown. */
  receive(rpcId: RpcId, method: string, params: Json, place: Place): 'pending' | 'unknown' | Reply {
    // The numbers begin anew with every process, so they alone would not tell two requests apart.
    const requestId = `${place.turnId ?? place.threadId}:${rpcId}`;
    const approval = approvalOf(method, params, this.#calls);
    if (approval) {
      const { request, grant } = approval;
      const reply = (answer: PermissionAnswer) => permissionReply(rpcId, place, approval, answer);
      if (grant && this.#grants.has(grant)) return reply({ decision: 'allow' });
      this.#requestIds.set(rpcId, requestId);
      this.#pending.askPermission({ requestId, ...request, ...placeFields(place) }, (answer) => {
        const lasts = answer.decision === 'allow' && (answer.scope ?? 'once') !== 'once';
        if (grant && lasts) this.#grants.add(grant);
        return reply(answer);
      });
      return 'pending';
    }
    const asked = questionsOf(method, params);
    if (!asked) return 'unknown';
    const { questions, reply } = asked;
    const callId = string(params.itemId);
    this.#requestIds.set(rpcId, requestId);
    this.#pending.askQuestions(
      { requestId, questions, callId, ...placeFields(place) },
      (answer) => ({
        rpcId,
        place,
        result: reply(answer),
        interrupts: false,
        stops: false,
      }),
    );
    return 'pending';
  }

  /** Settles a request. */
  answer(requestId: string, answer: RequestAnswer): Reply | undefined {
    return this.#pending.answer(requestId, answer);
  }

  /** Codex no longer waits for this one; without an answer it is void. */
  resolved(rpcId: unknown): void {
    const requestId = this.#requestIds.get(rpcId);
    this.#requestIds.delete(rpcId);
    if (requestId !== undefined) this.#pending.cancel(requestId);
  }

  /** A recording has no answers: they are inferred from how the call continues. */
  infer(item: Json): void {
    const callId = string(item.id);
    if (callId === undefined) return;
    this.#pending.infer(callId, item.status === 'declined' ? 'deny' : 'allow');
  }
}

function permissionReply(
  rpcId: RpcId,
  place: Place,
  approval: Approval,
  answer: PermissionAnswer,
): Reply {
  const { result, ends, written } = approval.reply(answer);
  const isRefusal = answer.decision === 'deny';
  const stops = isRefusal && answer.stop === true;
  const isLastWord = stops || answer.by === 'stop';
  return {
    rpcId,
    place,
    result,
    reason: isRefusal && !isLastWord ? answer.reason : undefined,
    interrupts: stops && (!ends || place.parentId !== undefined),
    stops,
    written,
  };
}

function questionsOf(
  method: string,
  params: Json,
): { questions: Question[]; reply(answer: QuestionAnswer): Json } | undefined {
  if (method === 'mcpServer/elicitation/request') {
    return {
      questions: elicitedQuestions(params),
      reply: (answer) => elicitationResult(params, answer),
    };
  }
  if (method !== 'item/tool/requestUserInput') return undefined;
  return {
    questions: array(params.questions).map((entry) => question(object(entry))),
    reply: userInput,
  };
}

function question(asked: Json): Question {
  const options = array(asked.options).map((option) => {
    const { label, description } = object(option);
    return { label: string(label) ?? '', description: string(description) };
  });
  return {
    id: string(asked.id) ?? '',
    header: string(asked.header),
    question: string(asked.question) ?? '',
    options,
    freeText: asked.isOther === true || options.length === 0,
  };
}

/** Codex takes a question without answers as one that the person did not want to answer. */
function userInput(answer: QuestionAnswer): Json {
  if (!('answers' in answer)) return { answers: {} };
  const entries = Object.entries(answer.answers).map(([id, answers]) => [id, { answers }]);
  return { answers: Object.fromEntries(entries) };
}

/** A permission request, and how its answer is converted for Codex. */
type Approval = {
  request: Omit<PermissionRequest, 'requestId'>;
  /** Grant that Baton remembers for the session, where Codex does not. */
  grant?: string;
  /**
   * Returns the result to send. `ends`: it also ends the turn. `written`: the notice about what Codex stores
   * permanently.
   */
  reply(answer: PermissionAnswer): { result: Json; ends: boolean; written?: string };
};

type ApprovalReader = (params: Json, calls: ToolCalls) => Approval | undefined;

const APPROVAL_READERS: Readonly<Record<string, ApprovalReader>> = {
  'item/commandExecution/requestApproval': (params) => {
    const amendment = params.proposedExecpolicyAmendment;
    const canAlways = array(amendment).length > 0;
    return {
      request: {
        callId: string(params.itemId),
        tool: 'command_execution',
        action: commandOrNetwork(params),
        input: { command: params.command, cwd: params.cwd },
        reason: string(params.reason),
        scopes: canAlways ? ['once', 'session', 'always'] : ['once', 'session'],
      },
      reply: (answer) => {
        if (answer.decision === 'deny' || answer.scope !== 'always' || !canAlways) {
          return decisionReply(answer);
        }
        const decision = { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } };
        const written = `Codex added a rule to the user's rules: allow ${array(amendment).join(' ')}`;
        return { result: { decision }, ends: false, written };
      },
    };
  },
  'item/fileChange/requestApproval': (params, calls) => {
    const callId = string(params.itemId);
    const root = string(params.grantRoot);
    // The request does not say what changes; the call that it is about does.
    const edit: Action = calls.actionOf(callId ?? '') ?? { type: 'file.edit', changes: [] };
    // Access to a folder is more than this edit, so no mode grants it.
    const action: Action = root
      ? { type: 'other', description: `Write access below ${root}` }
      : edit;
    return {
      request: {
        callId,
        tool: 'file_change',
        action,
        reason: string(params.reason),
        scopes: ['once', 'session'],
      },
      reply: decisionReply,
    };
  },
  'item/permissions/requestApproval': (params) => ({
    request: {
      callId: string(params.itemId),
      tool: 'request_permissions',
      action: { type: 'other', description: JSON.stringify(params.permissions) },
      input: params.permissions,
      reason: string(params.reason),
      scopes: ['once', 'session'],
    },
    reply: (answer) => ({
      result: {
        permissions: answer.decision === 'allow' ? object(params.permissions) : {},
        scope: answer.decision === 'allow' && outlivesTurn(answer.scope) ? 'session' : 'turn',
      },
      ends: false,
    }),
  }),
  'mcpServer/elicitation/request': (params, calls) => {
    const meta = object(params._meta);
    if (meta.codex_approval_kind !== 'mcp_tool_call') return undefined;
    const server = string(params.serverName) ?? '';
    const callId = calls.mcpCall(server, meta.tool_params);
    const tool = /run tool "(.*)"\?$/.exec(string(params.message) ?? '')?.[1] ?? '';
    const action: Action = (callId && calls.actionOf(callId)) || {
      ...{ type: 'mcp', server, tool, arguments: meta.tool_params },
    };
    const canAlways = array(meta.persist).includes('always');
    return {
      request: {
        callId,
        tool: mcpToolName(object(action)),
        action,
        input: meta.tool_params,
        reason: string(params.message),
        scopes: canAlways ? ['once', 'session', 'always'] : ['once', 'session'],
      },
      grant: mcpToolName(object(action)),
      reply: (answer) => ({ result: elicitedApproval(answer), ends: false }),
    };
  },
};

/** Reads a request of Codex as one for permission; nothing when it is none. */
function approvalOf(method: string, params: Json, calls: ToolCalls): Approval | undefined {
  return Object.hasOwn(APPROVAL_READERS, method)
    ? APPROVAL_READERS[method]?.(params, calls)
    : undefined;
}

function commandOrNetwork(params: Json): Action {
  const { host, protocol } = object(params.networkApprovalContext);
  if (typeof host === 'string')
    return { type: 'fetch', url: `${string(protocol) ?? 'https'}://${host}` };
  return commandAction(params);
}

function decisionReply(answer: PermissionAnswer): ReturnType<Approval['reply']> {
  if (answer.decision === 'allow') {
    const decision = outlivesTurn(answer.scope) ? 'acceptForSession' : 'accept';
    return { result: { decision }, ends: false };
  }
  const ends = answer.stop === true || answer.by === 'stop';
  return { result: { decision: ends ? 'cancel' : 'decline' }, ends };
}

function outlivesTurn(scope: PermissionScope | undefined): boolean {
  return scope === 'session' || scope === 'always';
}

function elicitedApproval(answer: PermissionAnswer): Json {
  if (answer.decision === 'deny') return { action: 'decline', content: null, _meta: null };
  const meta = outlivesTurn(answer.scope) ? { persist: answer.scope } : null;
  return { action: 'accept', content: {}, _meta: meta };
}
