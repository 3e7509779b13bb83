import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { track } from './leave-nothing.ts';
import { BATON, NODE } from './paths.ts';

const PATIENCE_MS = 60_000;

export type ServedDaemon = {
  child: ChildProcess;
  url: string;
  /** Of the link that lets the owner in; only at the first start. */
  secret: string;
};

/** Daemons that were started with the installed command, and can be stopped again. */
export class Served {
  #children: ChildProcess[] = [];

  /** Starts `baton serve`; settles when it says that it is ready. */
  async start(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<ServedDaemon> {
    const args = [BATON, 'serve', '--folder', folder, '--port', '0'];
    const child = track(spawn(NODE, args, { stdio: ['ignore', 'pipe', 'pipe'], env }), 'SIGTERM');
    this.#children.push(child);
    let trouble = '';
    child.stderr.on('data', (chunk) => {
      trouble += chunk;
    });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line', {
        signal: AbortSignal.timeout(PATIENCE_MS),
      }),
      once(child, 'close').then(([code]) => [`${trouble}and ended with ${code}`]),
    ]);
    if (!String(line).includes('is ready')) throw new Error(`baton serve said: ${line}`);
    const [url = '', secret = ''] = /http\S+/.exec(String(line))?.[0].split('/#link=') ?? [];
    return { child, url, secret };
  }

  /** Stops them all; settles when they have ended. */
  async stopAll(): Promise<void> {
    for (const child of this.#children.splice(0)) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }
}
