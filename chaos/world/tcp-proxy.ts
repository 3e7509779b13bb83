import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and can break every connection or hold back what is said. */
export class TcpProxy {
  readonly url: string;
  #server: Server;
  #pairs = new Set<readonly [Socket, Socket]>();
  #state: 'open' | 'cut' | 'silent' = 'open';

  static async to(port: number): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, port);
  }

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (near) => this.#join(near, port));
  }

  /** Breaks all connections and lets none through. */
  cut(): void {
    this.#state = 'cut';
    this.#breakAll();
  }

  /** Lets nothing through any more, and nobody is told. */
  silence(): void {
    this.#state = 'silent';
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Lets new connections through; those that were silenced stay dead, as after a router has forgotten them. */
  heal(): void {
    this.#state = 'open';
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, port: number): void {
    near.on('error', () => {});
    if (this.#state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    far.on('error', () => {});
    near.pipe(far).pipe(near);
    if (this.#state === 'silent') for (const socket of pair) socket.pause();
    for (const socket of pair) {
      socket.once('close', () => {
        for (const each of pair) each.destroy();
        this.#pairs.delete(pair);
      });
    }
  }

  #breakAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }
}
