import type { AgentEvent, EventType } from './event.ts';

const TYPES: ReadonlySet<EventType> = new Set([
  'workspace.updated',
  'checkpoint.created',
  'changes.updated',
] as const);

/** Beginning of the ids of scripts that prepare a workspace. */
export const SCRIPT_CALL = 'workspace-';

/** True for events about the files of an agent, which are in the log of its task but not part of its run. */
export function isWorkspaceEvent(event: AgentEvent): boolean {
  if (TYPES.has(event.type)) return true;
  if (event.type === 'notice') return event.code === 'workspace';
  return 'callId' in event && event.callId?.startsWith(SCRIPT_CALL) === true;
}
