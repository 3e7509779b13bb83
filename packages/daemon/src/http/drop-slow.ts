import type { Socket } from 'socket.io';

/** The maximum number of characters buffered for a client that does not read. */
const MOST_WAITING = 8 * 1024 * 1024;

type Line = Socket['conn'];
type Transport = Line['transport'] & { socket?: { terminate?(): void } };

/**
 * Ends a connection whose other side does not read what it is sent, once more comes although too much waits already.
 * A single answer may be as large as it likes.
 */
export function dropWhenSlow(line: Line): void {
  /** What the transport has not been given, and what it has but could not send. */
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

/** At once: a polite end would wait for the other side to read. */
function drop(line: Line): void {
  const { socket } = line.transport as Transport;
  if (socket?.terminate) socket.terminate();
  else line.close(true);
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}
