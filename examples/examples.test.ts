import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TcpProxy } from '../chaos/world/tcp-proxy.ts';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

/** Expected output of each example. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'events.ts': /^This is the demo[\s\S]*\[ok\] write[\s\S]*done in \d+ ms/,
  'stop.ts': /^before: process (\d+) runs\nafter: {2}process \1 is gone\ncancelled stopped/,
  'structured.ts': /done \{ name: 'Ada', age: 36 \}/,
  'conversation.ts': /the same session: true/,
  'embed/backend.ts': /^Meow\.\n$/,
  'embed/pool.ts': /^10 verdicts, 45 points, at most 3 at once\n$/,
};

/** Examples that need another participant, with a test each. */
const WITH_OTHERS = ['embed/permissions.ts', 'embed/remote.ts', 'embed/sse.ts', 'embed/stream.ts'];

test('all examples are known here', () => {
  const examples = globSync('{,embed/}*.ts', { cwd: import.meta.dirname });
  const known = [...Object.keys(PRINTS), ...WITH_OTHERS, 'examples.test.ts'];
  expect(examples.sort()).toEqual(known.sort());
});

test.for(Object.entries(PRINTS))('%s works', async ([name, prints]) => {
  const { child } = start(name);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(stdout).toMatch(prints);
  expect(code).toBe(0);
});

test('embed/stream.ts applies backpressure to the agent, and stops it', async () => {
  const steps = [{ ledger: 'said.txt' }, { flood: 1_000_000 }];
  const { child, cwd } = start('embed/stream.ts', [script(steps), '500']);
  expect(await text(child.stdout)).toMatch(/^1 2 3 [\d ]* 500 \ncancelled: The consumer stopped/);
  const said = readFileSync(join(cwd, 'said.txt'), 'utf8').split('\n').length;
  expect(said).toBeLessThan(20_000);
});

describe('embed/sse.ts', () => {
  async function served() {
    const { child, said } = start('embed/sse.ts');
    const port = (await said(/^(\d+)\n/))[1];
    const leave = new AbortController();
    const post = (body: string) =>
      fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, signal: leave.signal });
    return { child, said, post, leave };
  }

  test('stops the agent and its tools when the client leaves', async () => {
    const { said, post, leave } = await served();
    const response = await post(script([{ shell: 'echo pid $$; sleep 600; true' }]));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let events = '';
    const read = async () => {
      for await (const chunk of response.body ?? []) {
        events += Buffer.from(chunk).toString();
        if (/"output":"pid \d+\\n/.test(events)) leave.abort();
      }
    };
    await expect(read()).rejects.toThrow('abort');
    expect(events).toMatch(/^id: 1\ndata: \{"seq":1,/);
    await said(/cancelled stopped\n/);
    expect(isRunning(/pid (\d+)/.exec(events)?.[1] ?? '')).toBe(false);
  });

  test('rejects invalid input before the stream starts', async () => {
    const { post } = await served();
    expect((await post('')).status).toBe(400);
  });

  test('sends all events to a client that stays', async () => {
    const { said, post } = await served();
    const events = await (await post(script([{ say: 'Hello.' }]))).text();
    expect(events).toContain('"type":"run.completed"');
    await said(/done by itself\n/);
  });
});

describe('embed/permissions.ts', () => {
  test('does what the person allowed', async () => {
    const { child, cwd, said } = start('embed/permissions.ts');
    await said(/Allow shell\? \[y\/N\] $/);
    child.stdin.write('y\n');
    await said(/allow by person\nshell: ok\n$/);
    await once(child, 'close');
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(true);
  });

  test('closes the dialog and denies after the timeout', async () => {
    const { child, cwd, said } = start('embed/permissions.ts', ['50']);
    await said(/Allow shell\? .*\(the question is closed\)\s+deny by timeout\nshell: denied\n$/s);
    await once(child, 'close');
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(false);
  });
});

test('embed/remote.ts gets the events it missed while disconnected', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'example-daemon-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const daemon = await serveIn(folder);
  const proxy = await TcpProxy.to(Number(new URL(daemon.url).port));
  onTestFinished(() => proxy.close());
  const wait = 'until test -e go; do sleep 0.05; done';
  const steps = [{ say: 'before' }, { shell: wait }, { say: 'after' }];
  const { child, cwd, said } = start('embed/remote.ts', [script(steps)], {
    BATON_URL: proxy.url,
    BATON_TOKEN: await login(daemon),
  });
  await said(/^before$/);
  proxy.cut();
  await said(/\[connection lost\]\n$/);
  writeFileSync(join(cwd, 'go'), '');
  proxy.heal();
  await said(/^before\[connection lost\]\n\[connection back\]\n\s*after\ndone in \d+ ms\n$/);
  await once(child, 'close');
});

test('runner/ has a class as the runner documents it, registered and executed', async () => {
  const { result } = await import('./runner/index.ts');
  expect(result).toMatchObject({ status: 'done', output: 'result from my backend' });
});

function script(steps: readonly object[]): string {
  return `demo:script ${JSON.stringify(steps)}`;
}

type Example = {
  child: ChildProcessWithoutNullStreams;
  cwd: string;
  /** Waits until all that was printed looks so. */
  said(words: RegExp): Promise<RegExpExecArray>;
};

/** Starts an example in a folder of its own; it is ended with the test. */
function start(name: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): Example {
  const cwd = mkdtempSync(join(tmpdir(), 'example-'));
  const env = { ...process.env, BATON_DEMO_PACE: '0', ...more };
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], { cwd, env });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await closed;
    rmSync(cwd, { recursive: true, force: true });
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const said = (words: RegExp) =>
    vi.waitFor(
      () => {
        const found = words.exec(output);
        if (!found) throw new Error(`No ${words} in:\n${output}`);
        return found;
      },
      { timeout: 20_000, interval: 10 },
    );
  return { child, cwd, said };
}
