import { type AgentEvent, BatonError, errorInfo, reportedEvent } from '@baton/protocol';

/**
 * The events to report for an event of a run. One that the daemon would reject, such as that of a faulty backend, is kept
 * as an unparsed line, with a notice that gives the reason; rejecting it would end the task. The end of a run stays one.
 */
export function validEvents(event: AgentEvent): AgentEvent[] {
  const problem = problemOf(event);
  if (problem === undefined) return [event];
  const { seq, time, runId } = event;
  if (event.type === 'run.completed') {
    const message = `The result of the run could not be stored. ${problem}`;
    const error = errorInfo('internal', message);
    const output = typeof event.output === 'string' ? event.output : '';
    return [
      { seq, time, runId, type: 'run.completed', outcome: 'failed', output, error, durationMs: 0 },
    ];
  }
  const message = `${problem} The event is kept as an unparsed line.`;
  return [
    { seq, time, runId, type: 'unparsed', source: 'stdout', line: JSON.stringify(event) },
    { seq, time, runId, type: 'notice', level: 'warning', code: 'agent_warning', message },
  ];
}

function problemOf(event: AgentEvent): string | undefined {
  try {
    reportedEvent(event);
    return undefined;
  } catch (error) {
    if (BatonError.is(error)) return error.message.replace(/\.?$/, '.');
    throw error;
  }
}
