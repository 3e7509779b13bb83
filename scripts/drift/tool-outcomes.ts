import type { AgentEvent } from '@baton/protocol';

/**
 * Returns the name and outcome of each tool, in the order in which the agent started them. Tools of one turn may run at the same
 * time, and the order in which they end depends on which one is quicker.
 */
export function toolOutcomes(events: readonly AgentEvent[]): string[] {
  const started = events.flatMap((event) => (event.type === 'tool.started' ? [event.callId] : []));
  return events
    .flatMap((event) => (event.type === 'tool.completed' ? [event] : []))
    .toSorted((one, other) => started.indexOf(one.callId) - started.indexOf(other.callId))
    .map(({ name, outcome }) => `${name} ${outcome}`);
}
