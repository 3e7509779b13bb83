import { asText, type JsonObject, parseObject } from './json.ts';
import type { FakeModel } from './server.ts';

export interface ServerSentEvent {
  event: string;
  data: JsonObject;
}

/** Sends a request the way an agent does. */
export function post(
  model: FakeModel,
  path: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${model.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends a request and reads the one object of its answer. */
export async function postWhole(
  model: FakeModel,
  path: string,
  body: JsonObject,
): Promise<JsonObject> {
  const response = await post(model, path, body);
  return parseObject(await response.text());
}

/** Sends a request and reads the events of its answer. */
export async function postStream(
  model: FakeModel,
  path: string,
  body: JsonObject,
): Promise<ServerSentEvent[]> {
  const response = await post(model, path, body);
  return parseEvents(await response.text());
}

/** All values of a field over the events of one type, joined into one text. */
export function joined(events: ServerSentEvent[], type: string, field: string): string {
  return events
    .filter((one) => one.data.type === type)
    .map((one) => asText(one.data[field]))
    .join('');
}

function parseEvents(text: string): ServerSentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: parseObject(/^data: (.*)$/ms.exec(block)?.[1] ?? ''),
    }));
}
