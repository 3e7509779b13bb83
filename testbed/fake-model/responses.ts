import type { ConversationItem } from './conversation.ts';
import { type Dialect, type Failure, type Frame, frame, type ModelRequest } from './dialect.ts';
import { asArray, asObject, asText, type JsonObject } from './json.ts';
import { openaiFailure } from './openai-failures.ts';
import { cut, type Reply } from './reply.ts';
import { begunResponse, contentPart, finishedResponse, outputItems } from './responses-output.ts';
import type { FailureKind } from './steps.ts';
import type { OfferedTool } from './vocabulary.ts';

/** The Responses API of OpenAI. */
export const responses: Dialect = {
  read: (body) => ({
    model: asText(body.model),
    stream: body.stream === true,
    items: readInput(body.input),
    offered: asArray(body.tools).map((tool) => readTool(asObject(tool))),
    body,
  }),
  stream,
  whole: finishedResponse,
  failure,
};

function readInput(input: unknown): ConversationItem[] {
  if (typeof input === 'string') return [{ by: 'user', text: input }];
  return asArray(input).map(asObject).flatMap(readItem);
}

function readItem(item: JsonObject): ConversationItem[] {
  const type = asText(item.type);
  if (type.endsWith('_output')) return [{ by: 'tool' }];
  if (type === 'reasoning' || type.endsWith('_call')) return [{ by: 'model' }];
  if (item.role === 'assistant') return [{ by: 'model' }];
  if (item.role !== 'user') return [];
  if (typeof item.content === 'string') return [{ by: 'user', text: item.content }];
  return asArray(item.content).map((part) => ({ by: 'user', text: asText(asObject(part).text) }));
}

function readTool(tool: JsonObject): OfferedTool {
  const schema = asObject(tool.parameters);
  // The vendor's own tools, such as web search, have a type and no name.
  const name = asText(tool.name ?? tool.type);
  return { name, parameters: Object.keys(asObject(schema.properties)) };
}

function stream(reply: Reply): Frame[] {
  const begun = begunResponse(reply);
  const finished = finishedResponse(reply);
  return numbered([
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...outputItems(reply).flatMap((item, index) => itemEvents(reply, item, index)),
    { type: `response.${finished.status}`, response: finished },
  ]);
}

function failure(kind: FailureKind, request: ModelRequest): Failure {
  const plain = openaiFailure(kind, request);
  if (kind !== 'context_too_long' || !request.stream) return plain;
  // To a stream the vendor reports this one inside it, and only there does Codex understand it.
  const { code, message } = asObject(asObject(plain.body).error);
  const error = { code, message };
  const response = { id: 'resp_fake', object: 'response', status: 'failed', error };
  const [failed] = numbered([{ type: 'response.failed', response }]);
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: failed?.text ?? '',
  };
}

const pacedEvent = /^response\.(output_text|refusal|reasoning_summary_text)\.delta$/;

function numbered(events: JsonObject[]): Frame[] {
  return events.map((data, index) => {
    const event = asText(data.type);
    return frame({ ...data, sequence_number: index }, { event, delta: pacedEvent.test(event) });
  });
}

function itemEvents(reply: Reply, item: JsonObject, index: number): JsonObject[] {
  const at = { item_id: item.id, output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: emptied(item) },
    ...innerEvents(reply, item, at),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function emptied(item: JsonObject): JsonObject {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'reasoning') return { ...item, summary: [] };
  if (item.type === 'custom_tool_call') return { ...item, status: 'in_progress', input: '' };
  return { ...item, status: 'in_progress', arguments: '' };
}

function innerEvents(reply: Reply, item: JsonObject, at: JsonObject): JsonObject[] {
  if (item.type === 'reasoning') return summaryEvents(reply.thinking, at);
  if (item.type === 'message') return contentEvents(reply, at);
  if (item.type === 'custom_tool_call') {
    return textEvents('response.custom_tool_call_input', at, cut(asText(item.input)), 'input');
  }
  const pieces = cut(asText(item.arguments));
  return textEvents('response.function_call_arguments', at, pieces, 'arguments');
}

function summaryEvents(thinking: string[], at: JsonObject): JsonObject[] {
  const place = { ...at, summary_index: 0 };
  const part = { type: 'summary_text', text: thinking.join('') };
  const name = 'response.reasoning_summary';
  return [
    { type: `${name}_part.added`, ...place, part: { ...part, text: '' } },
    ...textEvents(`${name}_text`, place, thinking, 'text'),
    { type: `${name}_part.done`, ...place, part },
  ];
}

function contentEvents(reply: Reply, at: JsonObject): JsonObject[] {
  const place = { ...at, content_index: 0 };
  const part = contentPart(reply);
  const field = part.type === 'refusal' ? 'refusal' : 'text';
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, [field]: '' } },
    ...textEvents(`response.${part.type}`, place, reply.text, field),
    { type: 'response.content_part.done', ...place, part },
  ];
}

function textEvents(name: string, place: JsonObject, pieces: string[], field: string) {
  return [
    ...pieces.map((delta) => ({ type: `${name}.delta`, ...place, delta })),
    { type: `${name}.done`, ...place, [field]: pieces.join('') },
  ];
}
