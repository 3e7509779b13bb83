import { BatonError } from '@baton/protocol/values';
import type { Channel, ConnectInput } from '../definition/driver.ts';

export type WebSocketInput = Pick<ConnectInput, 'onMessage' | 'onClose' | 'signal'> & {
  url: string;
  /** Display name of the agent. */
  label: string;
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds that the connection may take to open; 15 s by default. */
  openMs?: number;
};

const OPEN_MS = 15_000;

/** Connects to an agent that speaks through a WebSocket, one JSON text for each message. */
export async function webSocketChannel(input: WebSocketInput): Promise<Channel> {
  const { url, label, headers, onMessage, onClose, openMs = OPEN_MS } = input;
  // A program that accepts connections need not be one that answers them.
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(openMs)]);
  // Node takes headers here; the type of browsers does not know them.
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  const opened = Promise.withResolvers<void>();
  let isOpen = false;
  const unreachable = () => {
    const message = `Cannot reach ${label} at ${withoutSecrets(url)}.`;
    return new BatonError('network_unreachable', message, {
      hint: 'Check that it is running and that the address is correct.',
    });
  };
  const abort = () => socket.close();
  signal.addEventListener('abort', abort, { once: true });
  socket.addEventListener('open', () => {
    isOpen = true;
    signal.removeEventListener('abort', abort);
    opened.resolve();
  });
  socket.addEventListener('message', ({ data }) => onMessage(String(data)));
  socket.addEventListener('error', () => opened.reject(unreachable()));
  socket.addEventListener('close', ({ code, reason }) => {
    opened.reject(unreachable());
    if (isOpen) onClose(reason || `it closed the connection (${code})`);
  });
  await opened.promise;
  return { send: (frame) => socket.send(frame), close: () => socket.close() };
}

/** An address may carry a token. */
function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
