import { Service } from '@feathersjs/transport-commons/lib/client.js';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';

type Methods = Record<string, (...args: unknown[]) => Promise<Record<string, unknown>>>;
type Events = { on(name: string, hear: (data: Record<string, unknown>) => void): unknown };

export type FeathersClient = {
  socket: Socket;
  /** A service of the daemon, with custom methods by their names. */
  service(path: string, ...methods: string[]): Methods & Events;
};

/** A client that uses only Feathers and Socket.IO, nothing of Baton; it is closed when the test ends. */
export function feathersClient(url: string, token?: string, more: object = {}): FeathersClient {
  const auth = { ...(token === undefined ? {} : { token }), ...more };
  const socket = io(url, { transports: ['websocket'], auth });
  onTestFinished(() => void socket.close());
  return {
    socket,
    service(path, ...methods) {
      const service = new Service({ events: [], name: path, connection: socket, method: 'emit' });
      const custom = methods.filter((name) => !(name in service));
      return service.methods(...custom) as unknown as Methods & Events;
    },
  };
}
