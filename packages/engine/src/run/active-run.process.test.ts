import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { RequestAnswer } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { DemoStep } from '../../../agents/src/backends/demo/steps.ts';
import { builtInBaton } from '../../../agents/src/testing/built-in-baton.ts';
import {
  all,
  assertNothingSurvives,
  demoLine,
  demoWorld,
  finish,
  first,
  keepDemoWorlds,
  patientDemo,
  upTo,
} from '../../../agents/src/testing/demo-world.ts';
import type { OpenOptions, PendingRequest } from '../definition/backend.ts';
import { widenPermissions } from './widen-permissions.ts';

keepDemoWorlds();

const WRITE: DemoStep = { write: { path: 'asked.txt', content: 'x' } };
const ASK: DemoStep = { question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } };

describe.concurrent('a request handler', () => {
  test('that throws denies the request, and the run continues', async () => {
    const world = demoWorld();
    const run = world.start([WRITE, { say: 'Next.' }], {
      onRequest: () => {
        throw new Error('my database is down');
      },
    });
    const { events, result } = await finish(run);
    expect(result).toMatchObject({ outcome: 'done', output: 'Next.' });
    expect(first(events, 'permission.resolved')).toMatchObject({
      decision: 'deny',
      by: 'policy',
      reason: expect.stringContaining('my database is down'),
    });
    expect(all(events, 'notice').map(({ level, message }) => [level, message])).toContainEqual([
      'error',
      'The request handler failed: my database is down',
    ]);
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(false);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a word', 'yes'],
    ['an unknown decision', { decision: 'perhaps' }],
    ['the answer to a question', { answers: {} }],
    ['an unknown scope', { decision: 'allow', scope: 'forever' }],
    ['a scope that was not offered', { decision: 'allow', scope: 'always' }],
    ['a field that is not known', { decision: 'allow', sudo: true }],
  ])('that answers a permission request with %s denies it', async (_name, answer) => {
    const world = demoWorld();
    const run = world.start([WRITE], { onRequest: () => answer as RequestAnswer });
    const { events, result } = await finish(run);
    expect(result.outcome).toBe('done');
    expect(first(events, 'permission.resolved').decision).toBe('deny');
    expect(first(events, 'tool.completed').outcome).toBe('denied');
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(false);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a decision', { decision: 'allow' }],
    ['answers that are no lists', { answers: { q1: 'Tea' } }],
  ])('that answers a question with %s declines it', async (_name, answer) => {
    const run = demoWorld().start([ASK], { onRequest: () => answer as RequestAnswer });
    const { events, result } = await finish(run);
    expect(result.output).toBe('You did not answer, so I continue.');
    expect(first(events, 'question.resolved').answers).toBeUndefined();
  });

  test('may take its time, and sees the request', async () => {
    const seen: PendingRequest[] = [];
    const run = demoWorld().start([ASK], {
      onRequest: async (pending) => {
        seen.push(pending);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { answers: { q1: ['Coffee'] } };
      },
    });
    expect((await run.result).output).toBe('You chose: Coffee.');
    expect(seen).toMatchObject([
      { kind: 'question', request: { questions: [{ question: 'Tea or coffee?' }] } },
    ]);
  });

  test('that never answers does not keep a run from being stopped', async () => {
    const run = demoWorld().start([WRITE, { say: 'Never said.' }], {
      onRequest: () => new Promise(() => {}),
    });
    const { rest } = await upTo(run, 'permission.requested');
    expect((await run.cancel()).state).toBe('stopped');
    const { events, result } = await rest;
    expect(result.outcome).toBe('cancelled');
    expect(first(events, 'permission.resolved')).toMatchObject({ decision: 'deny', by: 'stop' });
    expect(first(events, 'tool.completed').outcome).toBe('cancelled');
    expect(all(events, 'message.started')).toEqual([]);
  });

  test('can change what the agent wanted to do', async () => {
    const world = demoWorld();
    const run = world.start([WRITE], {
      onRequest: () => ({ decision: 'allow', input: { path: 'other.txt' } }),
    });
    expect((await run.result).outcome).toBe('done');
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(false);
    expect(readFileSync(join(world.cwd, 'other.txt'), 'utf8')).toBe('x');
  });

  test('is recorded with what it changed', async () => {
    const input = { command: 'echo changed' };
    const run = demoWorld().start([{ shell: 'echo original' }], {
      onRequest: () => ({ decision: 'allow', input }),
    });
    const { events } = await finish(run);
    const action = { type: 'command', command: 'echo changed' };
    expect(first(events, 'permission.requested').action).toMatchObject({
      command: 'echo original',
    });
    expect(first(events, 'permission.resolved')).toMatchObject({ input, action });
    expect(first(events, 'tool.updated')).toMatchObject({ input, action });
    expect(first(events, 'tool.completed')).toMatchObject({
      input,
      action: { ...action, exitCode: 0 },
      output: 'changed\n',
    });
  });

  test('is on record with no edit when it gave the input back as it was', async () => {
    const run = demoWorld().start([WRITE], {
      onRequest: ({ request }) => ({
        decision: 'allow',
        input: 'input' in request ? request.input : undefined,
      }),
    });
    const { events } = await finish(run);
    expect(first(events, 'permission.resolved')).not.toHaveProperty('input');
    expect(all(events, 'tool.updated')).toEqual([]);
  });
});

describe.concurrent('run.answer()', () => {
  test('returns what happened to the answer', async () => {
    const run = demoWorld().start([WRITE]);
    const { event, rest } = await upTo(run, 'permission.requested');
    expect(await run.answer('somebody else', { decision: 'allow' })).toBe('unknown');
    expect(await run.answer(event.requestId, { decision: 'allow' })).toBe('accepted');
    expect(await run.answer(event.requestId, { decision: 'deny' })).toBe('late');
    const { events } = await rest;
    expect(first(events, 'permission.resolved').decision).toBe('allow');
    expect(all(events, 'notice').map(({ code }) => code)).toContain('late_answer');
    expect(await run.answer(event.requestId, { decision: 'deny' })).toBe('late');
  });

  test('is not emitted where the mode had already allowed the request', async () => {
    const run = demoWorld().start([WRITE], { permissionMode: 'auto' });
    const { event, rest } = await upTo(run, 'permission.requested');
    expect(await run.answer(event.requestId, { decision: 'allow' })).toBe('late');
    const { events } = await rest;
    expect(all(events, 'notice').map(({ code }) => code)).not.toContain('late_answer');
  });

  test('refuses an answer of the wrong kind and leaves the request open', async () => {
    const run = demoWorld().start([WRITE]);
    const { event, rest } = await upTo(run, 'permission.requested');
    const wrong: unknown[] = [undefined, { answers: {} }, { decision: 'yes' }, { decision: 1 }];
    for (const answer of wrong) {
      await expect(run.answer(event.requestId, answer as RequestAnswer)).rejects.toMatchObject({
        code: 'usage',
      });
    }
    expect(await run.answer(event.requestId, { decision: 'deny', reason: 'No.' })).toBe('accepted');
    expect(first((await rest).events, 'permission.resolved').reason).toBe('No.');
  });

  test('refuses a scope that was not offered, and names those that were', async () => {
    const run = demoWorld().start([WRITE]);
    const { event, rest } = await upTo(run, 'permission.requested');
    const always = run.answer(event.requestId, { decision: 'allow', scope: 'always' });
    await expect(always).rejects.toThrow(/always.*once/);
    await run.answer(event.requestId, { decision: 'allow', scope: 'once' });
    expect((await rest).result.outcome).toBe('done');
  });

  test('comes too late once the run is being stopped', async () => {
    const run = demoWorld().start([WRITE]);
    const { event, rest } = await upTo(run, 'permission.requested');
    const stop = run.cancel();
    await rest;
    expect(await run.answer(event.requestId, { decision: 'allow' })).toBe('late');
    expect((await stop).state).toBe('stopped');
  });

  test('can end the whole turn', async () => {
    const run = demoWorld().start([WRITE, { say: 'Never said.' }]);
    const { event, rest } = await upTo(run, 'permission.requested');
    await run.answer(event.requestId, { decision: 'deny', reason: 'Stop it.', stop: true });
    const { events, result } = await rest;
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'permission_denied', message: 'Stop it.' },
    });
    expect(all(events, 'message.started')).toEqual([]);
  });

  test('records who answered', async () => {
    const run = demoWorld().start([WRITE]);
    const { event, rest } = await upTo(run, 'permission.requested');
    await run.answer(event.requestId, { decision: 'deny', by: 'policy' });
    expect(first((await rest).events, 'permission.resolved').by).toBe('policy');
  });
});

describe.concurrent('requests of an agent', () => {
  test('are denied when the run is collected', async () => {
    const world = demoWorld();
    const result = await world.start([WRITE, { say: 'Next.' }]).collect();
    expect(result).toMatchObject({ outcome: 'done', output: 'Next.' });
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(false);
  });

  test('wait for the reader, also if the result is awaited before anybody reads', async () => {
    const world = demoWorld();
    const asked = Promise.withResolvers<void>();
    const run = world.start([WRITE], {
      onPrinted: (line) => line.includes('permission.requested') && asked.resolve(),
    });
    const result = run.result;
    await asked.promise;
    await new Promise((resolve) => setImmediate(resolve));
    const { event, rest } = await upTo(run, 'permission.requested');
    expect(await run.answer(event.requestId, { decision: 'allow' })).toBe('accepted');
    await rest;
    expect((await result).outcome).toBe('done');
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(true);
  });

  test('end a run that is neither iterated nor collected, after the consumer timeout', async () => {
    const run = demoWorld().start([WRITE], { timeouts: { consumerMs: 100 } });
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'consumer_stalled', hint: expect.stringContaining('call collect()') },
    });
  });

  test('in auto mode pass for edits in the folder and wait for everything else', async () => {
    const world = demoWorld();
    const asked: string[] = [];
    const run = world.start([WRITE, { shell: 'touch ran.txt' }], {
      permissionMode: 'auto',
      onRequest: ({ kind, request }) => {
        if (kind === 'permission') asked.push(request.tool);
        return { decision: 'deny' };
      },
    });
    const { events } = await finish(run);
    expect(asked).toEqual(['shell']);
    expect(all(events, 'permission.resolved').map(({ decision, by }) => [decision, by])).toEqual([
      ['allow', 'policy'],
      ['deny', 'person'],
    ]);
    expect(existsSync(join(world.cwd, 'asked.txt'))).toBe(true);
    expect(existsSync(join(world.cwd, 'ran.txt'))).toBe(false);
  });

  test('that use the name of an earlier one are asked again', async () => {
    const ask = demoLine({
      type: 'permission.requested',
      requestId: 'r',
      tool: 't',
      action: { type: 'other' },
      scopes: ['once'],
    });
    const done = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });
    const script = `read -r o; read -r p; ${ask}; read -r a; ${ask}; read -r b; ${done}; read -r c`;
    let asked = 0;
    const run = demoWorld(script).start('Hello', {
      onRequest: () => {
        asked += 1;
        return { decision: 'allow' };
      },
    });
    expect((await finish(run)).result.outcome).toBe('done');
    expect(asked).toBe(2);
  });
});

describe.concurrent('a wider permission mode', () => {
  test('allows the open request that it covers, and later ones', async () => {
    const world = demoWorld();
    const run = world.start([WRITE, { shell: 'touch ran.txt' }]);
    const { rest } = await upTo(run, 'permission.requested');
    widenPermissions(run, 'allow-all');
    const { events, result } = await rest;
    expect(result.outcome).toBe('done');
    expect(all(events, 'permission.resolved').map(({ decision, by }) => [decision, by])).toEqual([
      ['allow', 'policy'],
      ['allow', 'policy'],
    ]);
    expect(all(events, 'notice').map(({ code }) => code)).toContain('mode_widened');
    expect(existsSync(join(world.cwd, 'ran.txt'))).toBe(true);
  });

  test.each<[string, DemoStep]>([
    ['a command', { shell: 'touch ran.txt' }],
    ['an edit of a protected path', { write: { path: '.git/config', content: 'x' } }],
    ['an edit outside the folder', { write: { path: '../out.txt', content: 'x' } }],
    ['a question', ASK],
  ])('leaves %s open in auto mode', async (_name, step) => {
    const run = demoWorld().start([step, WRITE]);
    const type = 'question' in step ? 'question.requested' : 'permission.requested';
    const { event, rest } = await upTo(run, type);
    widenPermissions(run, 'auto');
    const answer = 'question' in step ? { declined: true as const } : { decision: 'deny' as const };
    expect(await run.answer(event.requestId, answer)).toBe('accepted');
    const { events } = await rest;
    // The edit after it is one that the mode covers.
    expect(all(events, 'permission.resolved').at(-1)).toMatchObject({ by: 'policy' });
  });

  test('is never a stricter one, and changes nothing in a run that is being stopped', async () => {
    const world = demoWorld();
    const run = world.start([WRITE, WRITE], { permissionMode: 'auto' });
    const { rest } = await upTo(run, 'permission.requested');
    widenPermissions(run, 'ask');
    const { events } = await rest;
    expect(all(events, 'permission.resolved').map(({ by }) => by)).toEqual(['policy', 'policy']);
    const stopped = demoWorld().start([WRITE]);
    const { rest: end } = await upTo(stopped, 'permission.requested');
    const stop = stopped.cancel();
    widenPermissions(stopped, 'allow-all');
    expect(first((await end).events, 'permission.resolved').decision).toBe('deny');
    await stop;
  });
});

describe.concurrent('steering', () => {
  test('is refused once the agent has finished, although its last events are still unread', async () => {
    const says = demoLine({ type: 'usage.updated', usage: { inputTokens: 1 } });
    const done = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });
    const script = `read -r o; read -r p; both=$(${says}; ${done}); echo "$both"; read -r end`;
    const run = demoWorld(script).start('Hi');
    const { result } = await finish(run, async (event) => {
      if (event.type !== 'usage.updated') return;
      await expect(run.steer('Too late.')).rejects.toThrow(/has finished/);
    });
    expect(result.outcome).toBe('done');
  });

  test('is delivered while the agent works', async () => {
    const world = demoWorld();
    const untilSteered = 'until test -e steered; do sleep 0.05; done';
    const run = world.start([{ say: 'Working.' }, { shell: untilSteered }], {
      permissionMode: 'allow-all',
    });
    const { rest } = await upTo(run, 'tool.started');
    await run.steer('Mind the gap.');
    writeFileSync(join(world.cwd, 'steered'), '');
    const { events } = await rest;
    expect(all(events, 'notice').map(({ message }) => message)).toContain('Mind the gap.');
  });

  test('is refused after the end', async () => {
    const run = demoWorld().start([{ say: 'Hi.' }]);
    await finish(run);
    await expect(run.steer('Too late.')).rejects.toMatchObject({ code: 'usage' });
  });

  test('is rejected before the agent has started, as retryable', async () => {
    const run = demoWorld().start([{ say: 'Hi.' }]);
    await expect(run.steer('Too early.')).rejects.toThrow(/still starting/);
    expect((await run.result).outcome).toBe('done');
  });
});

describe.concurrent('cancel', () => {
  test('counts processes left by an agent that exited itself', async () => {
    const leaves = 'read -r o; read -r p; setsid sleep 60 & ';
    const script = `${leaves} ${demoLine({ type: 'usage.updated', usage: {} })}; read -r interrupt`;
    const run = demoWorld(script, patientDemo).start('Hi');
    const { rest } = await upTo(run, 'usage.updated');
    expect((await run.cancel()).killed).toBe(1);
    assertNothingSurvives(run.runId);
    await rest;
  });

  test('twice forces an agent that does not listen', async () => {
    const run = demoWorld().start('demo:stubborn');
    const { rest } = await upTo(run, 'message.completed');
    const gentle = run.cancel();
    const forced = run.cancel();
    const report = await forced;
    expect(report).toEqual(await gentle);
    expect(report.state).toBe('stopped');
    expect(report.steps.map(({ step }) => step)).not.toContain('SIGINT');
    expect(report.killed).toBeGreaterThan(0);
    assertNothingSurvives(run.runId);
    expect((await rest).result.outcome).toBe('cancelled');
  });

  test('once climbs the whole ladder for an agent that does not listen', async () => {
    const run = demoWorld().start('demo:stubborn');
    const { rest } = await upTo(run, 'message.completed');
    const report = await run.cancel();
    expect(report.steps.map(({ step }) => step)).toEqual(['interrupt', 'SIGINT', 'kill']);
    assertNothingSurvives(run.runId);
    expect((await rest).result.stop).toMatchObject({ state: 'stopped' });
  });

  test('and leaving the loop is still one request, so the agent may end in peace', async () => {
    const run = demoWorld(undefined, patientDemo).start('demo:stall');
    let stop: Promise<{ steps: { step: string }[]; killed: number }> | undefined;
    for await (const event of run) {
      if (event.type !== 'message.completed') continue;
      stop = run.cancel();
      break;
    }
    const report = await stop;
    // A second request would have killed it at once.
    expect(report?.steps.map(({ step }) => step)).toEqual(['interrupt']);
    expect(report?.killed).toBe(0);
  });

  test('keeps the first reason', async () => {
    const run = demoWorld().start('demo:stall');
    const { rest } = await upTo(run, 'message.completed');
    void run.cancel('Enough.');
    void run.cancel('Really.');
    expect((await rest).result.error).toMatchObject({ code: 'interrupted', message: 'Enough.' });
  });

  test('keeps the text', async () => {
    const run = demoWorld().start([{ say: 'One two three.' }, { stall: true }]);
    const { rest } = await upTo(run, 'message.completed');
    void run.cancel();
    expect((await rest).result.output).toBe('One two three.');
  });

  test('keeps the partial text', async () => {
    const script = [
      'read -r open; read -r prompt',
      demoLine({ type: 'message.started', messageId: 'm', kind: 'text' }),
      demoLine({ type: 'message.delta', messageId: 'm', text: 'Half an ans' }),
      'read -r interrupt',
    ].join('\n');
    const run = demoWorld(script).start('Hello');
    const { rest } = await upTo(run, 'message.delta');
    void run.cancel();
    const { events, result } = await rest;
    expect(result.output).toBe('Half an ans');
    expect(first(events, 'message.completed')).toMatchObject({ incomplete: true });
  });

  test('says that it is over only when the agent is gone, however early it comes', async () => {
    const world = demoWorld();
    for (const wait of ['none', 'a tick', 'a moment']) {
      const run = world.start([{ say: 'Hello.' }, { stall: true }]);
      if (wait === 'a tick') await Promise.resolve();
      if (wait === 'a moment') await new Promise((resolve) => setImmediate(resolve));
      expect((await run.cancel()).state).toBe('stopped');
      assertNothingSurvives(run.runId);
      expect((await run.result).outcome).toBe('cancelled');
    }
  });
});

describe.concurrent('an abort signal', () => {
  test('that was aborted before prevents the agent from starting', async () => {
    const world = demoWorld('touch started.txt');
    const launched: string[] = [];
    const run = world.start([{ say: 'Hi.' }], {
      signal: AbortSignal.abort(new Error('Not today.')),
      onLaunch: ({ file }) => launched.push(file),
    });
    const { result } = await finish(run);
    expect(result).toMatchObject({
      outcome: 'cancelled',
      error: { code: 'interrupted', message: 'Not today.' },
    });
    expect(launched).toEqual([]);
    expect(existsSync(join(world.cwd, 'started.txt'))).toBe(false);
  });

  test('that is aborted while a schema is loading prevents the start too', async () => {
    const launched: string[] = [];
    const abort = new AbortController();
    const run = demoWorld().start([{ say: 'Hi.' }], {
      signal: abort.signal,
      onLaunch: ({ file }) => launched.push(file),
      outputSchema: {},
    });
    abort.abort();
    expect((await finish(run)).result.outcome).toBe('cancelled');
    expect(launched).toEqual([]);
  });

  test('is let go of when the run ends', async () => {
    const abort = new AbortController();
    const added: string[] = [];
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, ...rest: [never]) => {
      added.push(type);
      add(type, ...rest);
    };
    signal.removeEventListener = (type: string, ...rest: [never]) => {
      added.pop();
      remove(type, ...rest);
    };
    await finish(demoWorld().start([{ say: 'Hi.' }], { signal }));
    expect(added).toEqual([]);
    abort.abort();
  });
});

test.concurrent('a client that leaves a stream of events stops its agent', async () => {
  const run = demoWorld().start('demo:stall');
  const server = createServer((_request, response) => {
    void run
      .toSSE()
      .pipeTo(Writable.toWeb(response))
      .catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { body } = await fetch(`http://127.0.0.1:${port}`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!(await reader?.read())?.value?.includes('message.completed'));
  // The agent says nothing from here on.
  await reader?.cancel();
  expect((await run.result).outcome).toBe('cancelled');
  assertNothingSurvives(run.runId);
  server.close();
});

test.concurrent('a mistake in a call is an error of that call, before anything starts', async () => {
  const { backend, cwd, start } = demoWorld();
  const launched: string[] = [];
  const wrong: OpenOptions[] = [
    { cwd: '/not/there' },
    { model: 'm' },
    { outputSchema: { type: 'numbr' } },
    { requests: { timeoutMs: Number.NaN } },
    { timeouts: { totalMs: -1 } },
  ];
  for (const options of wrong) {
    const watched = { onLaunch: () => launched.push('agent'), ...options };
    const isBatonError = expect.objectContaining({ name: 'BatonError' });
    expect(() => start('Hi', watched)).toThrow(isBatonError);
    await expect(backend.open({ cwd, ...watched })).rejects.toThrow(isBatonError);
    await expect(
      builtInBaton().launch({ backend: 'demo', prompt: 'Hi', cwd, ...options }),
    ).rejects.toThrow(isBatonError);
  }
  expect(launched).toEqual([]);
});

test.concurrent('the events can be read once, and the result as often as one likes', async () => {
  const run = demoWorld().start([{ say: 'Hi.' }]);
  await finish(run);
  expect(() => run[Symbol.asyncIterator]()).toThrow(/only once/);
  expect(await run.result).toBe(await run.result);
});
