import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a device and a gateway that can fail. */
export class GatewayProxy {
  #target: { host: string; port: number };
  #server: Server | undefined;
  #port = 0;
  #sockets = new Set<Socket>();
  /** Number of connections so far. */
  connections = 0;

  private constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port) };
  }

  static async before(url: string): Promise<GatewayProxy> {
    const proxy = new GatewayProxy(url);
    await proxy.up();
    return proxy;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const server = createServer((client) => this.#join(client));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks all connections; new ones are refused. */
  async down(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client: Socket): void {
    this.connections += 1;
    const gateway = connect(this.#target);
    for (const [socket, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
