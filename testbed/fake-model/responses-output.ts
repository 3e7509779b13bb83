import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { Usage } from './steps.ts';

/** The response object as it is before the model has said anything. */
export function begunResponse(reply: Reply): JsonObject {
  return { ...header(reply), status: 'in_progress', output: [], usage: null };
}

/** The response object with all that the model has said. */
export function finishedResponse(reply: Reply): JsonObject {
  const cutShort = reply.stopReason === 'max_tokens';
  return {
    ...header(reply),
    status: cutShort ? 'incomplete' : 'completed',
    incomplete_details: cutShort ? { reason: 'max_output_tokens' } : null,
    output: outputItems(reply),
    usage: usage(reply.usage),
  };
}

/** The items of a response: its thought, its message, its calls. */
export function outputItems(reply: Reply): JsonObject[] {
  const reasoning = {
    type: 'reasoning',
    id: `rs_${reply.id}`,
    summary: [{ type: 'summary_text', text: reply.thinking.join('') }],
    encrypted_content: `sealed_${reply.id}`,
  };
  const message = {
    type: 'message',
    id: `msg_${reply.id}`,
    status: 'completed',
    role: 'assistant',
    content: [contentPart(reply)],
  };
  return [
    ...(reply.thinking.length > 0 ? [reasoning] : []),
    ...(reply.text.length > 0 ? [message] : []),
    ...reply.calls.map(callItem),
  ];
}

/** The one part of a message: text, or the refusal of it. */
export function contentPart(reply: Reply): JsonObject {
  const text = reply.text.join('');
  if (reply.stopReason === 'refusal') return { type: 'refusal', refusal: text };
  return { type: 'output_text', text, annotations: [] };
}

function header(reply: Reply): JsonObject {
  const id = `resp_${reply.id}`;
  return { id, object: 'response', created_at: 0, model: reply.model, error: null };
}

function callItem({ id, name, namespace, input }: Reply['calls'][number]): JsonObject {
  const common = { call_id: `call_${id}`, name, status: 'completed' };
  if (typeof input === 'string') {
    return { type: 'custom_tool_call', id: `ctc_${id}`, ...common, input };
  }
  return {
    type: 'function_call',
    id: `fc_${id}`,
    ...common,
    ...(namespace ? { namespace } : {}),
    arguments: JSON.stringify(input),
  };
}

function usage({ input, output, cached, reasoning }: Usage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
