import type { IncomingMessage } from 'node:http';
import type { JsonObject } from './json.ts';
import type { Api } from './routes.ts';

/** A recorded request, without its secrets. */
export interface RecordedRequest {
  /** Undefined for paths that belong to no API. */
  api?: Api | undefined;
  method: string;
  /** Includes the query, if there is one. */
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** The key found in the conversation, whether or not a script has it. */
  key?: string | undefined;
  /** The step of the script that answered; undefined for answers that no script wrote. */
  step?: number | undefined;
}

/** Notes down a request, with every secret masked. */
export function recordRequest(
  incoming: IncomingMessage,
  body: JsonObject,
  known: Pick<RecordedRequest, 'api' | 'key' | 'step'>,
): RecordedRequest {
  return {
    ...known,
    method: incoming.method ?? '',
    path: (incoming.url ?? '').replace(/([?&]key=)[^&]*/, '$1***'),
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, mask(name, String(value))]),
    ),
    body,
  };
}

const secretHeader = /authorization|api-key|cookie|token|secret/;

// The scheme stays visible: which kind of credential an agent sends is worth testing.
function mask(name: string, value: string): string {
  if (!secretHeader.test(name)) return value;
  const scheme = /^(Bearer|Basic) /.exec(value)?.[0] ?? '';
  return `${scheme}***`;
}
