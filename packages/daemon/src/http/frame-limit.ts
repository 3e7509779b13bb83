import type { Socket } from 'socket.io';
import { isFor, type Principal } from '../access/principal.ts';
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES, MAX_LOGIN_BYTES } from '../service/body-limits.ts';

type Line = Socket['conn'];
/** The part of a WebSocket of `ws` that refuses a message by the length that it announces, before it is read. */
type Receiver = { _maxPayload: number };
type Transport = Line['transport'] & {
  socket?: { _receiver?: Receiver };
  maxHttpBufferSize?: number;
};

/** Message size limit of each connection; a connection in this map is watched for its upgrade to a WebSocket. */
const maxBytesOf = new WeakMap<Line, number>();

/**
 * Sets the message size limit of a connection to that of its user, also when a renewed token changes it. Socket.IO has
 * one limit for all connections, which is that of unauthenticated clients.
 */
export function limitFrames(line: Line, principal: Principal): void {
  // Viewers have nothing large to send. An executor reports at once when it has exchanged its token.
  const isLarge = isFor(['member', 'executor', 'expired executor'], principal);
  const isWatched = maxBytesOf.has(line);
  const small = principal.kind === 'nobody' ? MAX_LOGIN_BYTES : MAX_BODY_BYTES;
  maxBytesOf.set(line, isLarge ? MAX_LARGE_BODY_BYTES : small);
  const apply = (transport: Transport) => {
    const maxBytes = maxBytesOf.get(line);
    if (maxBytes === undefined) return;
    const receiver = transport.socket?._receiver;
    if (receiver) receiver._maxPayload = maxBytes;
    // One that polls reads bodies of requests.
    if (transport.maxHttpBufferSize !== undefined) {
      transport.maxHttpBufferSize = Math.min(maxBytes, MAX_BODY_BYTES);
    }
  };
  apply(line.transport);
  if (!isWatched) line.once('upgrade', apply);
}
