import type { ConversationItem } from './conversation.ts';
import { type Dialect, type Frame, frame, type ModelRequest } from './dialect.ts';
import { asArray, asObject, asText, type JsonObject } from './json.ts';
import { openaiFailure } from './openai-failures.ts';
import type { Reply } from './reply.ts';
import type { StopReason, Usage } from './steps.ts';

/** The Chat Completions API of OpenAI, which many other servers speak too. */
export const chat: Dialect = {
  read: (body) => ({
    model: asText(body.model),
    stream: body.stream === true,
    items: asArray(body.messages).flatMap((message) => readMessage(asObject(message))),
    offered: asArray(body.tools).map((tool) => readTool(asObject(asObject(tool).function))),
    body,
  }),
  stream,
  whole: (reply) => ({
    ...header(reply),
    object: 'chat.completion',
    choices: [
      { index: 0, message: message(reply), finish_reason: finishReasons[reply.stopReason] },
    ],
    usage: usage(reply.usage),
  }),
  failure: openaiFailure,
};

function readMessage(message: JsonObject): ConversationItem[] {
  if (message.role === 'assistant') return [{ by: 'model' }];
  if (message.role === 'tool') return [{ by: 'tool' }];
  if (message.role !== 'user') return [];
  if (typeof message.content === 'string') return [{ by: 'user', text: message.content }];
  return asArray(message.content).map((part) => ({
    by: 'user',
    text: asText(asObject(part).text),
  }));
}

function readTool(tool: JsonObject) {
  const schema = asObject(tool.parameters);
  return { name: asText(tool.name), parameters: Object.keys(asObject(schema.properties)) };
}

function stream(reply: Reply, request: ModelRequest): Frame[] {
  const send = (delta: JsonObject, finish: string | null = null) =>
    chunk(reply, { choices: [{ index: 0, delta, finish_reason: finish }] });
  const textField = reply.stopReason === 'refusal' ? 'refusal' : 'content';
  const wantsUsage = asObject(request.body.stream_options).include_usage === true;
  return [
    send({ role: 'assistant', content: '' }),
    ...reply.thinking.map((text) => paced(send({ reasoning_content: text }))),
    ...reply.text.map((text) => paced(send({ [textField]: text }))),
    ...toolCalls(reply).map((call, index) => send({ tool_calls: [{ index, ...call }] })),
    send({}, finishReasons[reply.stopReason]),
    ...(wantsUsage ? [chunk(reply, { choices: [], usage: usage(reply.usage) })] : []),
    frame('[DONE]'),
  ];
}

function chunk(reply: Reply, data: JsonObject): Frame {
  return frame({ ...header(reply), object: 'chat.completion.chunk', ...data });
}

function paced(one: Frame): Frame {
  return { ...one, delta: true };
}

function header(reply: Reply): JsonObject {
  return { id: `chatcmpl-${reply.id}`, created: 0, model: reply.model };
}

function message(reply: Reply): JsonObject {
  const text = reply.text.join('');
  const refused = reply.stopReason === 'refusal';
  return {
    role: 'assistant',
    content: refused || text === '' ? null : text,
    refusal: refused ? text : null,
    ...(reply.thinking.length > 0 ? { reasoning_content: reply.thinking.join('') } : {}),
    ...(reply.calls.length > 0 ? { tool_calls: toolCalls(reply) } : {}),
  };
}

function toolCalls(reply: Reply): JsonObject[] {
  return reply.calls.map(({ id, name, input }) => ({
    id: `call_${id}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function usage({ input, output, cached, reasoning }: Usage): JsonObject {
  return {
    prompt_tokens: input,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

const finishReasons: Record<StopReason, string> = {
  end: 'stop',
  tools: 'tool_calls',
  max_tokens: 'length',
  refusal: 'stop',
};
