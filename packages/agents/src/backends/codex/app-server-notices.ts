import { type Json, number, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';

type Level = 'info' | 'warning' | 'error';

/**
 * Notifications that say nothing a run needs: states of Codex's own windows and menus, echoes of what
 * we sent, and copies of what items and the end of the turn say better.
 */
export const IGNORED: ReadonlySet<string> = new Set([
  'account/login/completed',
  'account/updated',
  'app/list/updated',
  'autoApprovalReview/strictReviewRequired',
  'fs/changed',
  'hook/started',
  'item/autoApprovalReview/started',
  // The text of the finished plan may differ from these.
  'item/plan/delta',
  'item/reasoning/summaryPartAdded',
  'mcpServer/event/stream/notification',
  'mcpServer/oauthLogin/completed',
  'model/safetyBuffering/updated',
  'model/verification',
  'project/changed',
  'rawResponse/completed',
  'rawResponseItem/completed',
  'remoteControl/status/changed',
  'skills/changed',
  'thread/attachment/updated',
  'thread/closed',
  // The item `contextCompaction` says it too.
  'thread/compacted',
  'thread/environment/connected',
  'thread/goal/cleared',
  'thread/goal/updated',
  'thread/name/updated',
  'thread/prediction/updated',
  'thread/project/updated',
  'thread/queue/changed',
  'thread/readState/changed',
  'thread/settings/updated',
  'thread/status/changed',
  // The edits of the whole turn, repeated after each one: every edit has its own item.
  'turn/diff/updated',
  'turn/moderationMetadata',
]);

/** Used percentage of a rate limit from which a notice is emitted. */
const NEARLY_ALL_PERCENT = 90;

const MAKERS: Readonly<Record<string, (params: Json) => EventDraft | undefined>> = {
  warning: ({ message }) => {
    const words = string(message) ?? '';
    // We switch this one on ourselves, so that the agent can ask the person something.
    if (words.startsWith('Under-development features enabled: default_mode_request_user_input.')) {
      return undefined;
    }
    return notice('warning', 'agent_warning', words);
  },
  guardianWarning: ({ message }) => notice('warning', 'agent_warning', string(message) ?? ''),
  configWarning: (params) => notice('info', 'agent_warning', summaryOf(params)),
  deprecationNotice: (params) => notice('info', 'deprecation', summaryOf(params)),
  'mcpServer/startupStatus/updated': ({ name, status, error }) => {
    if (status !== 'failed') return undefined;
    const message = `The MCP server ${string(name)} did not start: ${string(error) ?? 'unknown'}`;
    return notice('warning', 'mcp_server', message, { name });
  },
  'model/rerouted': (params) =>
    notice(
      'warning',
      'model_fallback',
      `Codex switched from ${string(params.fromModel)} to ${string(params.toModel)}.`,
      params,
    ),
  'hook/completed': ({ run }) => {
    const { eventName, status, statusMessage } = object(run);
    const words = [`Hook ${string(eventName)}: ${string(status)}`, string(statusMessage)];
    return notice('info', 'hook', words.filter(Boolean).join('. '));
  },
  'item/autoApprovalReview/completed': ({ review }) => {
    const { status, rationale } = object(review);
    return notice(
      'info',
      'status',
      `Automatic review: ${string(status)}. ${string(rationale) ?? ''}`,
    );
  },
  'item/commandExecution/terminalInteraction': ({ stdin }) =>
    stdin ? notice('info', 'status', `Typed into a running command: ${string(stdin)}`) : undefined,
  'modelProvider/authRecoveryStarted': ({ message }) =>
    notice('info', 'retry', string(message) ?? ''),
  'modelProvider/authRecoveryCompleted': ({ message }) =>
    notice('info', 'retry', string(message) ?? ''),
  'thread/environment/disconnected': () =>
    notice('warning', 'agent_warning', 'Codex lost the environment of the thread.'),
  'windows/worldWritableWarning': (params) =>
    notice('warning', 'agent_warning', 'Some folders are world-writable.', params),
  'account/rateLimits/updated': ({ rateLimits }) => rateLimitNotice(object(rateLimits)),
};

/** True if a notification is of a kind that can become a notice. */
export function isNotice(method: string): boolean {
  return Object.hasOwn(MAKERS, method);
}

/** Turns a notification into a notice; nothing when there is nothing to say. */
export function noticeOf(method: string, params: Json): EventDraft | undefined {
  return isNotice(method) ? MAKERS[method]?.(params) : undefined;
}

function rateLimitNotice(limits: Json): EventDraft | undefined {
  const reached = string(limits.rateLimitReachedType);
  if (reached) return notice('warning', 'rate_limit', `Rate limit: ${reached}.`, limits);
  const used = [limits.primary, limits.secondary].map(
    (window) => number(object(window).usedPercent) ?? 0,
  );
  const most = Math.max(...used);
  if (most < NEARLY_ALL_PERCENT) return undefined;
  return notice('info', 'rate_limit', `${most}% of the rate limit used.`, limits);
}

function summaryOf({ summary, details }: Json): string {
  return [string(summary), string(details)].filter(Boolean).join(' ');
}

function notice(level: Level, code: string, message: string, data?: unknown): EventDraft {
  return { type: 'notice', level, code, message, data };
}
