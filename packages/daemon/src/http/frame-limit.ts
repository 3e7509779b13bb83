import type { Socket } from 'socket.io';
import { isFor, type Principal } from '../access/principal.ts';
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from '../service/body-limits.ts';

type Line = Socket['conn'];
/** The part of a WebSocket of `ws` that refuses a message by the length that it announces, before it is read. */
type Receiver = { _maxPayload: number };
type Transport = Line['transport'] & { socket?: { _receiver?: Receiver } };

/**
 * Lets a connection send as large messages as its user may. Socket.IO has one limit for all connections, which is that for
 * clients that nobody knows yet.
 */
export function limitFrames(line: Line, principal: Principal): void {
  // Viewers have nothing large to send. An executor reports at once when it has exchanged its token.
  const isLarge = isFor(['member', 'executor', 'expired executor'], principal);
  const maxBytes = isLarge ? MAX_LARGE_BODY_BYTES : MAX_BODY_BYTES;
  const apply = (transport: Transport) => {
    const receiver = transport.socket?._receiver;
    if (receiver) receiver._maxPayload = maxBytes;
  };
  apply(line.transport);
  line.once('upgrade', apply);
}
