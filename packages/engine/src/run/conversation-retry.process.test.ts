import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  all,
  demoLine,
  demoWorld,
  finish,
  keepDemoWorlds,
  upTo,
} from '../../../agents/src/testing/demo-world.ts';

keepDemoWorlds();

const RETRY = { attempts: 2, baseMs: 1 };
const DONE = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });
const SAYS = (text: string) =>
  [
    demoLine({ type: 'message.started', messageId: 'm', kind: 'text' }),
    demoLine({ type: 'message.delta', messageId: 'm', text }),
  ].join('\n');

/** An agent that does one thing for so many times, and another from then on. */
function flaky(times: number, before: string, after: string): string {
  return `read -r open; read -r prompt
echo x >> tries.txt
if [ "$(wc -l < tries.txt)" -le ${times} ]; then
${before}
else
${after}
fi
${DONE}; read -r end`;
}

function fails(code: string, retryable: boolean): string {
  const error = { code, message: 'Slow down.', retryable };
  return demoLine({ type: 'turn.completed', verdict: { outcome: 'failed', error } });
}

function tries(cwd: string): number {
  return readFileSync(join(cwd, 'tries.txt'), 'utf8').trim().split('\n').length;
}

describe.concurrent('a failure that may pass', () => {
  test('is tried again, with a notice each time', async () => {
    const world = demoWorld(flaky(2, 'echo busy >&2; exit 1', SAYS('Hello.')));
    const { events, result } = await finish(world.start('Hi', { retry: RETRY }));
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
    expect(tries(world.cwd)).toBe(3);
    const notices = all(events, 'notice').filter(({ code }) => code === 'retry');
    expect(notices.map(({ data }) => data)).toEqual([
      { attempt: 1, pauseMs: 1, code: 'agent_crashed' },
      { attempt: 2, pauseMs: 2, code: 'agent_crashed' },
    ]);
    expect(notices[0]?.message).toContain('(1 of 2)');
  });

  test('is tried again in the same way when the agent itself reports it', async () => {
    const world = demoWorld(flaky(1, `${fails('rate_limited', true)}; read -r end; exit`, ':'));
    const { result } = await finish(world.start('Hi', { retry: RETRY }));
    expect(result.outcome).toBe('done');
    expect(tries(world.cwd)).toBe(2);
  });

  test('is reported when it stays', async () => {
    const world = demoWorld(flaky(9, 'echo busy >&2; exit 1', ':'));
    const { result } = await finish(world.start('Hi', { retry: RETRY }));
    expect(result).toMatchObject({ outcome: 'failed', error: { message: 'busy' } });
    expect(tries(world.cwd)).toBe(3);
  });

  test('is retried three times by default', async () => {
    const world = demoWorld(flaky(9, 'exit 1', ':'));
    const { events } = await finish(world.start('Hi', { retry: { baseMs: 1 } }));
    expect(tries(world.cwd)).toBe(4);
    expect(all(events, 'notice').at(-1)?.message).toContain('(3 of 3)');
  });

  test('is not tried again unless that was asked for', async () => {
    const world = demoWorld(flaky(1, 'exit 1', ':'));
    expect((await world.start('Hi').collect()).outcome).toBe('failed');
    expect(tries(world.cwd)).toBe(1);
  });

  test('ends the open message, so that the next attempt starts from scratch', async () => {
    const world = demoWorld(flaky(1, `${SAYS('Half an ans')}; exit 1`, SAYS('The answer.')));
    const { events, result } = await finish(world.start('Hi', { retry: RETRY }));
    expect(result.output).toBe('The answer.');
    expect(all(events, 'message.completed').map(({ text }) => text)).toEqual([
      'Half an ans',
      'The answer.',
    ]);
  });

  test('is not tried again once the run is being stopped', async () => {
    const world = demoWorld(flaky(9, 'exit 1', ':'));
    const run = world.start('Hi', { retry: { attempts: 5, baseMs: 60_000 } });
    const { event, rest } = await upTo(run, 'notice');
    expect(event.code).toBe('retry');
    await run.cancel();
    expect((await rest).result.outcome).toBe('cancelled');
    expect(tries(world.cwd)).toBe(1);
  });
});

describe.concurrent('a failure that does not pass, or an agent that may have acted', () => {
  test.each([
    ['a failure of another kind', `${fails('auth_missing', false)}; read -r end; exit`],
    [
      'a tool that has begun',
      `${demoLine({ type: 'tool.started', callId: 'c', name: 'n', action: { type: 'other' } })}; exit 1`,
    ],
  ])('%s is never tried again', async (_name, before) => {
    const world = demoWorld(flaky(1, before, SAYS('Again.')));
    const { result } = await finish(world.start('Hi', { retry: RETRY }));
    expect(result.outcome).toBe('failed');
    expect(tries(world.cwd)).toBe(1);
  });

  test('a program that is not there is not looked for again', async () => {
    const world = demoWorld();
    const { demoBackend } = await import('../../../agents/src/testing/built-in-backends.ts');
    const backend = demoBackend({ binary: join(world.cwd, 'nowhere') });
    const { events, result } = await finish(
      backend.run({ cwd: world.cwd, prompt: 'Hi', retry: RETRY }),
    );
    expect(result.error?.code).toBe('backend_not_found');
    expect(all(events, 'notice')).toEqual([]);
    expect(existsSync(join(world.cwd, 'tries.txt'))).toBe(false);
  });
});
