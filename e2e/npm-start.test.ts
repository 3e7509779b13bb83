import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { expect, onTestFinished, test, vi } from 'vitest';

const READY = /^Baton is ready at (http:\/\/127\.0\.0\.1:(\d+))(?:\/#link=(\S+))?$/;

type Started = {
  child: ChildProcess;
  home: string;
  /** Everything that it has said. */
  lines: string[];
  url: string;
  port: number;
  secret: string | undefined;
  notices(): string;
};

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'start-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const START = [process.execPath, join(import.meta.dirname, '../scripts/start.mjs')];

/** Starts what `npm start` starts, or that itself, in a process group of its own as in a terminal. */
async function start(home = newHome(), [file = '', ...args] = START): Promise<Started> {
  const { npm_lifecycle_event: _event, ...env } = process.env;
  const child = spawn(file, args, {
    cwd: join(import.meta.dirname, '..'),
    env: { ...env, HOME: home, BATON_DEMO_PACE: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {}
  });
  let notices = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    notices += text;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await Promise.race([
    vi.waitFor(() => expect(lines.some((line) => READY.test(line))).toBe(true), 60_000),
    once(child, 'exit').then(() => Promise.reject(new Error(notices))),
  ]);
  const ready = lines.find((line) => READY.test(line)) ?? '';
  const [, url = '', port, secret] = READY.exec(ready) ?? [];
  return { child, home, lines, url, port: Number(port), secret, notices: () => notices };
}

function daemonOf({ home }: Started): { pid: number } {
  return JSON.parse(readFileSync(join(home, '.baton/daemon/daemon.json'), 'utf8'));
}

async function end({ child }: Started, signal: NodeJS.Signals, target: number | undefined) {
  const ended = once(child, 'exit');
  process.kill(target ?? 0, signal);
  return (await ended)[0];
}

test('the daemon prints its address in one line; the link logs in the owner, and the demo agent is available', async () => {
  const started = await start();
  const stranger = new BatonClient({ url: started.url });
  const { accessToken } = await stranger.authentication.withLink(started.secret ?? '');
  stranger.close();
  const client = new BatonClient({ url: started.url, token: accessToken });
  onTestFinished(() => client.close());
  const session = await client.sessions.create({ cwd: started.home, backend: 'demo' });
  const { task_id } = await client.sessions.executeTask(session.session_id, {
    prompt: 'demo:script [{"say":"Hello."}]',
  });
  for await (const event of client.follow(session.session_id)) {
    if (event.type === 'run.completed') break;
  }
  expect(await client.tasks.get(task_id)).toMatchObject({ output: 'Hello.' });
  expect(started.lines).toHaveLength(1);
  expect(await end(started, 'SIGINT', -(started.child.pid ?? 0))).toBe(0);
  expect(existsSync(join(started.home, '.baton/daemon/daemon.json'))).toBe(false);
  const again = await start(started.home);
  expect(again.secret).toBeUndefined();
  expect(await end(again, 'SIGTERM', again.child.pid)).toBe(0);
  expect(again.lines).toEqual([`Baton is ready at ${again.url}`]);
});

test('a killed daemon is reported', async () => {
  const started = await start();
  const { pid } = daemonOf(started);
  expect(await end(started, 'SIGKILL', pid)).toBe(1);
  await vi.waitFor(() => expect(started.notices()).toContain('The daemon was ended by SIGKILL.'));
});

test('a daemon ends when the program that started it is killed', async () => {
  const started = await start();
  const { pid } = daemonOf(started);
  await end(started, 'SIGKILL', started.child.pid);
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000);
  await vi.waitFor(() => expect(started.notices()).toContain('Stopping the daemon.'));
});

test.each(['SIGTERM', 'SIGKILL'] as const)('%s to npm stops the daemon', async (signal) => {
  const started = await start(newHome(), ['npm', 'start']);
  const { pid } = daemonOf(started);
  await end(started, signal, started.child.pid);
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000);
  expect(existsSync(join(started.home, '.baton/daemon/daemon.json'))).toBe(false);
});

test('uses the next free port when the default one is in use, with a notice', async () => {
  const blocker = createServer();
  // Somebody else may have it already, which is as good.
  await new Promise<void>((resolve) => {
    blocker.once('error', () => resolve());
    blocker.listen(3030, '127.0.0.1', () => resolve());
  });
  onTestFinished(() => void blocker.close());
  const started = await start();
  expect(started.port).toBeGreaterThan(3030);
  const notice = `Port 3030 is in use; listening on port ${started.port}.`;
  await vi.waitFor(() => expect(started.notices()).toContain(notice));
  expect(await end(started, 'SIGTERM', started.child.pid)).toBe(0);
});
