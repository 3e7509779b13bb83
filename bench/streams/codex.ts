const PLACE = {
  threadId: '01a1dd19-6384-7cb1-bc3e-94d1eb929c85',
  turnId: '01a1dd19-63da-7200-a7cf-628e838e44dc',
};
const TOKENS = { totalTokens: 211, inputTokens: 100, cachedInputTokens: 11, outputTokens: 111 };

/** Generates the output of Codex's app server in a long turn: in each step it writes and runs a command. */
export function* codexLines(steps: number, deltasPerStep: number): Generator<string> {
  const line = (method: string, params: object) =>
    JSON.stringify({ method, params: { ...PLACE, ...params }, emittedAtMs: 1_794_710_793_229 });
  const turn = { id: PLACE.turnId, items: [], error: null };
  yield line('thread/started', { thread: { id: PLACE.threadId } });
  yield line('turn/started', { turn: { ...turn, status: 'inProgress' } });
  for (let step = 0; step < steps; step += 1) {
    const message = { type: 'agentMessage', id: `msg_${step}` };
    const words = Array.from({ length: deltasPerStep }, (_, n) => `word ${step} ${n} `);
    yield line('item/started', { item: { ...message, text: '' } });
    for (const delta of words) {
      yield line('item/agentMessage/delta', { itemId: message.id, delta });
    }
    yield line('item/completed', { item: { ...message, text: words.join('') } });
    const command = {
      type: 'commandExecution',
      id: `call_${step}`,
      command: "/bin/bash -lc 'echo hi'",
      cwd: '/workspace',
      status: 'inProgress',
      commandActions: [{ type: 'unknown', command: 'echo hi' }],
    };
    yield line('item/started', { item: command });
    yield line('item/commandExecution/outputDelta', { itemId: command.id, delta: 'hi\n' });
    const done = { status: 'completed', aggregatedOutput: 'hi\n', exitCode: 0 };
    yield line('item/completed', { item: { ...command, ...done } });
    yield line('thread/tokenUsage/updated', { tokenUsage: { total: TOKENS, last: TOKENS } });
  }
  yield line('turn/completed', { turn: { ...turn, status: 'completed' } });
}
