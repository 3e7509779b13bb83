import type { AgentEvent } from '@baton/protocol';

const USAGE = { inputTokens: 100, cachedInputTokens: 11, outputTokens: 59 };
const COMMAND = { type: 'command', command: 'echo hi', exitCode: 0 };

/** The events of a run without an end: in each step the agent speaks in pieces and runs a command. */
export function* runEvents(runId: string, deltasPerStep = 100): Generator<AgentEvent, never> {
  let seq = 0;
  const event = (body: object) => ({ seq: ++seq, time: Date.now(), runId, ...body }) as AgentEvent;
  yield event({ type: 'run.started', backend: 'demo', transport: 'live', cwd: '/workspace' });
  for (let step = 0; ; step += 1) {
    const message = { messageId: `msg_${step}`, kind: 'text' };
    const words = Array.from({ length: deltasPerStep }, (_, n) => `word ${step} ${n} `);
    yield event({ type: 'message.started', ...message });
    for (const text of words) yield event({ type: 'message.delta', ...message, text });
    yield event({ type: 'message.completed', ...message, text: words.join('') });
    const call = { callId: `call_${step}`, name: 'Bash', action: COMMAND };
    yield event({ type: 'tool.started', ...call, input: { command: 'echo hi' } });
    yield event({ type: 'tool.completed', ...call, outcome: 'ok', output: 'hi\n' });
    yield event({ type: 'usage.updated', usage: USAGE });
  }
}

/** Takes the next events of a run. */
export function take(events: Generator<AgentEvent, never>, count: number): AgentEvent[] {
  return Array.from({ length: count }, () => events.next().value);
}
