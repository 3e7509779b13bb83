import type { AgentEvent } from '@baton/protocol';

/** Whether something was denied: a request of the agent, or a tool that the agent itself did not use for want of a yes. */
export function isDenial(event: AgentEvent): boolean {
  if (event.type === 'tool.completed') return event.outcome === 'denied';
  // What a stop refuses would have been asked for in vain anyway.
  return event.type === 'permission.resolved' && event.decision === 'deny' && event.by !== 'stop';
}
