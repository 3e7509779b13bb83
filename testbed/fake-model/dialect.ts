import type { ConversationItem } from './conversation.ts';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { FailureKind } from './steps.ts';
import type { OfferedTool } from './vocabulary.ts';

/** One vendor's API: how its requests are read and its answers are written. */
export interface Dialect {
  read(body: JsonObject, url: URL): ModelRequest;
  /** The whole answer as the server-sent events of a streaming response. */
  stream(reply: Reply, request: ModelRequest): Frame[];
  /** The same answer as the one object of a response that does not stream. */
  whole(reply: Reply): JsonObject;
  failure(kind: FailureKind, request: ModelRequest): Failure;
}

export interface ModelRequest {
  model: string;
  stream: boolean;
  items: ConversationItem[];
  offered: OfferedTool[];
  body: JsonObject;
}

/** One server-sent event; `delta` marks a piece of text or thought, after which a stream may pause. */
export interface Frame {
  text: string;
  delta: boolean;
}

export interface Failure {
  status: number;
  headers?: Record<string, string> | undefined;
  body: JsonObject | string;
}

/** Writes one server-sent event, named when the API names its events. */
export function frame(
  data: JsonObject | string,
  options: { event?: string; delta?: boolean } = {},
) {
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  const name = options.event ? `event: ${options.event}\n` : '';
  return { text: `${name}data: ${json}\n\n`, delta: options.delta ?? false };
}

/** The page that a proxy in front of any vendor shows when the vendor is away. */
export const badGateway: Failure = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
};
