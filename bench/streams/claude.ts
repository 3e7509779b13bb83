const SESSION = { session_id: 'fdcb4004-22a5-40e7-ad59-b6d5fc6054f3', parent_tool_use_id: null };
const USAGE = { input_tokens: 100, cache_read_input_tokens: 11, output_tokens: 59 };

/**
 * Generates the output of Claude in a long conversation with partial messages: in each step it writes and calls a tool.
 */
export function* claudeLines(steps: number, deltasPerStep: number): Generator<string> {
  let uuid = 0;
  const line = (body: object) => JSON.stringify({ ...body, ...SESSION, uuid: `uuid-${uuid++}` });
  const piece = (event: object) => line({ type: 'stream_event', event });
  yield line({ type: 'system', subtype: 'init', cwd: '/workspace', model: 'claude', tools: [] });
  for (let step = 0; step < steps; step += 1) {
    const id = `msg_${step}`;
    const whole = (content: object) =>
      line({
        type: 'assistant',
        message: { id, type: 'message', role: 'assistant', content: [content], usage: USAGE },
      });
    const words = Array.from({ length: deltasPerStep }, (_, n) => `word ${step} ${n} `);
    yield piece({ type: 'message_start', message: { id, role: 'assistant', usage: USAGE } });
    yield piece({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    });
    for (const text of words) {
      yield piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    }
    yield whole({ type: 'text', text: words.join('') });
    yield piece({ type: 'content_block_stop', index: 0 });
    const toolUse = { type: 'tool_use', id: `toolu_${step}`, name: 'Bash' };
    yield whole({ ...toolUse, input: { command: 'echo hi' } });
    yield piece({
      type: 'message_delta',
      delta: { stop_reason: step === steps - 1 ? 'end_turn' : 'tool_use' },
      usage: USAGE,
    });
    yield piece({ type: 'message_stop' });
    const result = { type: 'tool_result', tool_use_id: toolUse.id, content: 'hi', is_error: false };
    yield line({
      type: 'user',
      message: { role: 'user', content: [result] },
      tool_use_result: { stdout: 'hi', stderr: '', interrupted: false },
    });
  }
  yield line({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Done.',
    usage: USAGE,
  });
}
