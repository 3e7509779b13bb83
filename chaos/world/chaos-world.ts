import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { freePort } from '../../packages/store/src/testing/free-port.ts';
import { login } from './login.ts';
import { kill, processesWith } from './processes.ts';
import { ServedDaemon } from './served-daemon.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';
import { TcpProxy } from './tcp-proxy.ts';

export type WorldOptions = {
  /** The built command. */
  main: string;
  slots: number;
  /** The database; a file of its own without it. */
  databaseUrl?: string | undefined;
};

/** Long enough for a busy machine, short enough for a test. */
const LEASE_SECONDS = 10;
const PACE_MS = 30;

/** A daemon with all that it needs, in a folder of its own, where everything can be broken and mended. */
export class ChaosWorld {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly daemon: ServedDaemon;
  readonly proxy: TcpProxy;
  /** Calls the daemon without a detour. */
  readonly client: BatonClient;
  /** Calls it over the connection that is cut. */
  readonly farClient: BatonClient;
  readonly disk: SmallDisk | undefined;
  readonly #mark: string;

  /** Opens a world; cleans up if that fails. */
  static async open(options: WorldOptions): Promise<ChaosWorld> {
    const port = await freePort();
    const world = new ChaosWorld(options, port, await TcpProxy.to(port));
    try {
      await world.daemon.start();
      const token = await login(`http://127.0.0.1:${port}`, world.daemon);
      for (const client of [world.client, world.farClient]) client.connection.showToken(token);
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  private constructor({ main, slots, databaseUrl }: WorldOptions, port: number, proxy: TcpProxy) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-chaos-')));
    for (const name of ['ledgers', 'home']) mkdirSync(join(this.folder, name));
    const state = join(this.folder, 'state');
    this.disk = whyNoSmallDisk() ? undefined : new SmallDisk(state);
    this.databaseUrl = databaseUrl ?? join(state, 'baton.db');
    this.#mark = `BATON_CHAOS=${randomUUID()}`;
    this.proxy = proxy;
    this.daemon = new ServedDaemon({
      main,
      args: [
        ...['--folder', state, '--port', `${port}`],
        ...['--slots', `${slots}`, '--lease', `${LEASE_SECONDS}`],
        ...['--executor-url', proxy.url],
      ],
      env: environment(this.folder, this.#mark, databaseUrl),
      logFile: join(this.folder, 'daemon.log'),
    });
    this.client = new BatonClient({ url: `http://127.0.0.1:${port}` });
    this.farClient = new BatonClient({ url: proxy.url });
  }

  /** Offsets the clock of all processes here by this many milliseconds. */
  setClock(offsetMs: number): void {
    writeFileSync(clockFile(this.folder), `${offsetMs}`);
  }

  /** Folder of the spools with events that the daemon has not confirmed. */
  get spoolFolder(): string {
    return join(this.folder, 'state/spool');
  }

  /** Everything that runs here, the daemon too. */
  processes() {
    return processesWith(this.#mark);
  }

  /** Ends whatever is left and removes the folder. */
  async close(): Promise<void> {
    this.client.close();
    this.farClient.close();
    this.daemon.kill();
    for (const { pid } of this.processes()) kill(pid);
    await this.proxy.close();
    this.disk?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function clockFile(folder: string): string {
  return join(folder, 'clock');
}

function environment(folder: string, mark: string, databaseUrl: string | undefined) {
  const [name = '', value = ''] = mark.split('=');
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    BATON_DEMO_PACE: `${PACE_MS}`,
    BATON_CHAOS_CLOCK: clockFile(folder),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shifted-clock.mjs')}`,
    [name]: value,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}
