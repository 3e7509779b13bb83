import type { Action, PermissionAnswer, PermissionRequest, PermissionScope } from '@baton/protocol';
import { array, type Json, object, string } from '../../normalize/json.ts';
import { commandAction } from './actions.ts';
import type { ToolCalls } from './tool-calls.ts';
import { mcpToolName } from './tools.ts';

/** A request for permission, and how its answer is put into the words of Codex. */
export type Approval = {
  request: Omit<PermissionRequest, 'requestId'>;
  /** What Baton itself remembers as allowed for the session, where Codex does not. */
  grant?: string;
  /** The result to send; `ends` tells that it also ends the turn, `written` what Codex keeps for ever because of it. */
  reply(answer: PermissionAnswer): { result: Json; ends: boolean; written?: string };
};

type Maker = (params: Json, calls: ToolCalls) => Approval | undefined;

const MAKERS: Readonly<Record<string, Maker>> = {
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
          return decided(answer);
        }
        const decision = { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } };
        const written = `Codex has added to the rules of the user: allow ${array(amendment).join(' ')}`;
        return { result: { decision }, ends: false, written };
      },
    };
  },
  'item/fileChange/requestApproval': (params, calls) => {
    const callId = string(params.itemId);
    const root = string(params.grantRoot);
    // The request does not say what changes; the call that it is about does.
    const action = calls.actionOf(callId ?? '') ?? { type: 'file.edit', changes: [] };
    return {
      request: {
        callId,
        tool: 'file_change',
        action,
        reason: string(params.reason) ?? (root && `Write access below ${root}`),
        scopes: ['once', 'session'],
      },
      reply: decided,
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
        scope: answer.decision === 'allow' && lasts(answer.scope) ? 'session' : 'turn',
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
      reply: (answer) => ({ result: elicited(answer), ends: false }),
    };
  },
};

/** Reads a request of Codex as one for permission; nothing when it is none. */
export function approvalOf(method: string, params: Json, calls: ToolCalls): Approval | undefined {
  return Object.hasOwn(MAKERS, method) ? MAKERS[method]?.(params, calls) : undefined;
}

function commandOrNetwork(params: Json): Action {
  const { host, protocol } = object(params.networkApprovalContext);
  if (typeof host === 'string')
    return { type: 'fetch', url: `${string(protocol) ?? 'https'}://${host}` };
  return commandAction(params);
}

function decided(answer: PermissionAnswer): ReturnType<Approval['reply']> {
  if (answer.decision === 'allow') {
    const decision = lasts(answer.scope) ? 'acceptForSession' : 'accept';
    return { result: { decision }, ends: false };
  }
  const ends = answer.stop === true || answer.by === 'stop';
  return { result: { decision: ends ? 'cancel' : 'decline' }, ends };
}

function lasts(scope: PermissionScope | undefined): boolean {
  return scope === 'session' || scope === 'always';
}

function elicited(answer: PermissionAnswer): Json {
  if (answer.decision === 'deny') return { action: 'decline', content: null, _meta: null };
  const meta = lasts(answer.scope) ? { persist: answer.scope } : null;
  return { action: 'accept', content: {}, _meta: meta };
}
