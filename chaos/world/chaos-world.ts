import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { freePort, login } from './login.ts';
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
const PACE_MS = 15;

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

  static async open(options: WorldOptions): Promise<ChaosWorld> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-chaos-')));
    const disk = whyNoSmallDisk() ? undefined : new SmallDisk(join(folder, 'state'));
    const mark = `BATON_CHAOS=${randomUUID()}`;
    const port = await freePort();
    const proxy = await TcpProxy.to(port);
    const daemon = new ServedDaemon({
      main: options.main,
      args: [
        ...['--folder', join(folder, 'state'), '--port', `${port}`],
        ...['--slots', `${options.slots}`, '--lease', `${LEASE_SECONDS}`],
        ...['--executor-url', proxy.url],
      ],
      env: environment(folder, mark, options.databaseUrl),
      logFile: join(folder, 'daemon.log'),
    });
    for (const name of ['ledgers', 'home']) mkdirSync(join(folder, name));
    await daemon.start();
    const url = `http://127.0.0.1:${port}`;
    const token = await login(url, daemon);
    return new ChaosWorld({ folder, disk, mark, proxy, daemon, url, token, options });
  }

  private constructor(made: {
    folder: string;
    disk: SmallDisk | undefined;
    mark: string;
    proxy: TcpProxy;
    daemon: ServedDaemon;
    url: string;
    token: string;
    options: WorldOptions;
  }) {
    const { token } = made;
    this.folder = made.folder;
    this.databaseUrl = made.options.databaseUrl ?? join(made.folder, 'state/baton.db');
    this.daemon = made.daemon;
    this.proxy = made.proxy;
    this.disk = made.disk;
    this.#mark = made.mark;
    this.client = new BatonClient({ url: made.url, token });
    this.farClient = new BatonClient({ url: made.proxy.url, token });
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

function environment(folder: string, mark: string, databaseUrl: string | undefined) {
  const [name = '', value = ''] = mark.split('=');
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    BATON_DEMO_PACE: `${PACE_MS}`,
    [name]: value,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}
