import type { ConversationItem } from './conversation.ts';
import { badGateway, type Dialect, type Failure, type Frame, frame } from './dialect.ts';
import { asArray, asObject, asText, type JsonObject } from './json.ts';
import { cut, type Reply } from './reply.ts';
import type { FailureKind, StopReason, Usage } from './steps.ts';

/** The Messages API of Anthropic. */
export const anthropic: Dialect = {
  read: (body) => ({
    model: asText(body.model),
    stream: body.stream === true,
    items: asArray(body.messages).flatMap((message) => readMessage(asObject(message))),
    offered: asArray(body.tools).map((tool) => readTool(asObject(tool))),
    body,
  }),
  stream,
  whole: (reply) => ({
    ...header(reply),
    content: blocks(reply),
    stop_reason: stopReasons[reply.stopReason],
    usage: usage(reply.usage),
  }),
  failure: (kind, request) => {
    if (kind === 'html502') return badGateway;
    const { status, type, message, headers } = failures[kind];
    const text = message.replaceAll('{model}', request.model);
    return { status, headers, body: { type: 'error', error: { type, message: text } } };
  },
};

/** A count of the tokens in a request, good enough for a model that reads nothing. */
export function countTokens(body: JsonObject): JsonObject {
  return { input_tokens: Math.ceil(JSON.stringify(body).length / 4) };
}

function readMessage(message: JsonObject): ConversationItem[] {
  if (message.role === 'assistant') return [{ by: 'model' }];
  if (message.role !== 'user') return [];
  if (typeof message.content === 'string') return [{ by: 'user', text: message.content }];
  return asArray(message.content).map(asObject).flatMap(readBlock);
}

function readBlock(block: JsonObject): ConversationItem[] {
  if (block.type === 'tool_result') return [{ by: 'tool' }];
  if (block.type === 'text') return [{ by: 'user', text: asText(block.text) }];
  return [];
}

function readTool(tool: JsonObject) {
  const schema = asObject(tool.input_schema);
  return { name: asText(tool.name), parameters: Object.keys(asObject(schema.properties)) };
}

function stream(reply: Reply): Frame[] {
  const send = (data: JsonObject, delta = false) =>
    frame(data, { event: asText(data.type), delta });
  // The real API cannot know the output yet and says 1; the truth comes with message_delta.
  const begun = { ...usage(reply.usage), output_tokens: 1 };
  const message = { ...header(reply), content: [], stop_reason: null, usage: begun };
  const last = { stop_reason: stopReasons[reply.stopReason], stop_sequence: null };
  return [
    send({ type: 'message_start', message }),
    send({ type: 'ping' }),
    ...blocks(reply).flatMap((block, index) => [
      send({ type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } }),
      ...deltas(reply, block).map((delta) =>
        send({ type: 'content_block_delta', index, delta }, block.type !== 'tool_use'),
      ),
      send({ type: 'content_block_stop', index }),
    ]),
    send({ type: 'message_delta', delta: last, usage: usage(reply.usage) }),
    send({ type: 'message_stop' }),
  ];
}

function header(reply: Reply): JsonObject {
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    stop_sequence: null,
  };
}

function blocks(reply: Reply): JsonObject[] {
  const thinking = reply.thinking.join('');
  const text = reply.text.join('');
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: `sig_${reply.id}` }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...reply.calls.map(({ id, name, input }) => ({
      type: 'tool_use',
      id: `toolu_${id}`,
      name,
      input,
    })),
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block.type === 'thinking') return { thinking: '', signature: '' };
  if (block.type === 'text') return { text: '' };
  return { input: {} };
}

function deltas(reply: Reply, block: JsonObject): JsonObject[] {
  if (block.type === 'text') return reply.text.map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    return [
      ...reply.thinking.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature },
    ];
  }
  return cut(JSON.stringify(block.input)).map((part) => ({
    type: 'input_json_delta',
    partial_json: part,
  }));
}

function usage({ input, output, cached }: Usage): JsonObject {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    service_tier: 'standard',
  };
}

const stopReasons: Record<StopReason, string> = {
  end: 'end_turn',
  tools: 'tool_use',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
};

type Described = Pick<Failure, 'status' | 'headers'> & { type: string; message: string };

const failures: Record<Exclude<FailureKind, 'html502'>, Described> = {
  bad_request: {
    status: 400,
    type: 'invalid_request_error',
    message: 'messages: at least one message is required',
  },
  auth: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  forbidden: {
    status: 403,
    type: 'permission_error',
    message: 'Your API key does not have permission to use the specified resource.',
  },
  not_found_model: { status: 404, type: 'not_found_error', message: 'model: {model}' },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message:
      "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
    headers: { 'retry-after': '1' },
  },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  quota: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  context_too_long: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 250000 tokens > 200000 maximum',
  },
  server_error: { status: 500, type: 'api_error', message: 'Internal server error' },
};
