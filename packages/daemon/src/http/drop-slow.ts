import type { Socket } from 'socket.io';

/** The maximum number of characters buffered for a client that does not read. */
const MOST_WAITING = 8 * 1024 * 1024;

type Line = Socket['conn'];
type Transport = Line['transport'] & { socket?: { terminate?(): void } };

/**
 * Ends a connection whose client does not read, once more data comes although too much is already buffered. A single
 * response may be of any size.
 */
export function dropWhenSlow(line: Line): void {
  /** Characters not yet passed to the transport, and characters passed but not sent. */
  let queued = 0;
  let flying = 0;
  line.on('packetCreate', ({ type, data }) => {
    if (type !== 'message') return;
    if (queued + flying > MOST_WAITING) drop(line);
    queued += sizeOf(data);
  });
  line.on('flush', () => {
    flying += queued;
    queued = 0;
  });
  const watch = (transport: Line['transport']) => {
    transport.on('drain', () => {
      flying = 0;
    });
  };
  watch(line.transport);
  line.on('upgrade', watch);
}

/** Ends the connection immediately: a graceful close would wait for the client to read. */
function drop(line: Line): void {
  const { socket } = line.transport as Transport;
  if (socket?.terminate) socket.terminate();
  else line.close(true);
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}
