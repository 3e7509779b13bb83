import { type AgentEvent, eventSchema } from '@baton/protocol';

/** Lists every promise of the event stream that some events break; an empty list is a good stream. */
export function brokenPromises(events: readonly AgentEvent[]): string[] {
  const problems: string[] = [];
  const open = new Map<string, string>();
  events.forEach((event, index) => {
    if (event.seq !== index + 1) problems.push(`seq ${event.seq} at ${index + 1}`);
    const parsed = eventSchema.safeParse(event);
    if (!parsed.success) problems.push(`${event.type}: ${parsed.error.message}`);
    problems.push(...follow(event, open));
  });
  for (const key of open.keys()) problems.push(`${key} never ends`);
  const ends = events.filter(({ type }) => type === 'run.completed').length;
  if (ends !== 1) problems.push(`${ends} times run.completed`);
  if (events.at(-1)?.type !== 'run.completed') problems.push('run.completed is not last');
  if (events[0]?.type !== 'run.started') problems.push('run.started is not first');
  return problems;
}

/** Follows what is open, with the text that was said so far. */
function follow(event: AgentEvent, open: Map<string, string>): string[] {
  const [kind, stage] = event.type.split('.');
  const id = idOf(event);
  if (id === undefined) return [];
  const key = `${kind} ${id}`;
  const text = open.get(key);
  if (stage === 'started' || stage === 'requested') {
    open.set(key, '');
    return text === undefined ? [] : [`${key} starts twice`];
  }
  if (text === undefined) return [`${event.type} ${id} without a start`];
  if (event.type === 'message.delta') open.set(key, text + event.text);
  if (stage === 'completed' || stage === 'resolved') open.delete(key);
  const differs = event.type === 'message.completed' && text !== event.text;
  return differs ? [`the deltas of ${key} are not its text`] : [];
}

function idOf(event: AgentEvent): string | undefined {
  if ('messageId' in event) return event.messageId;
  if ('requestId' in event) return event.requestId;
  return 'callId' in event && event.type.startsWith('tool.') ? event.callId : undefined;
}
