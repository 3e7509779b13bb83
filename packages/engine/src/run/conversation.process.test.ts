import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  all,
  assertNothingSurvives,
  demoLine,
  demoWorld,
  finish,
  first,
  keepDemoWorlds,
  patientDemo,
  promptOnlyDemo,
  readAll,
  steps,
  upTo,
} from '../../../agents/src/testing/demo-world.ts';
import { denyUnattended } from './deny-request.ts';

keepDemoWorlds();

const DONE = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });

describe.concurrent('one prompt after another', () => {
  test('two at once are refused, and the first is not disturbed', async () => {
    const conversation = await demoWorld().open();
    const run = conversation.run(steps({ say: 'First.' }));
    expect(() => conversation.run('Second')).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('Await') }),
    );
    expect((await run.result).output).toBe('First.');
    expect((await conversation.run(steps({ say: 'Third.' })).collect()).output).toBe('Third.');
  });

  test('use one process and one session', async () => {
    const launched: string[] = [];
    const conversation = await demoWorld().open({ onLaunch: ({ file }) => launched.push(file) });
    const one = await readAll(conversation.run(steps({ say: 'One.' })));
    const two = await readAll(conversation.run(steps({ say: 'Two.' })));
    expect(launched).toHaveLength(1);
    expect(two.result.nativeSessionId ?? conversation.nativeSessionId).toBe(
      one.result.nativeSessionId,
    );
    expect([one, two].map(({ events }) => events[0]?.seq)).toEqual([1, 1]);
  });

  test('an agent with too many processes is replaced before the next, in its session', async () => {
    const launched: string[] = [];
    const conversation = await demoWorld().open({
      maxProcesses: 2,
      onLaunch: ({ file }) => launched.push(file),
    });
    const few = await readAll(conversation.run(steps({ say: 'One.' })));
    const leaks = steps({ leave: 'sleep 60' }, { leave: 'sleep 60' });
    const leaking = await readAll(conversation.run(leaks));
    expect(launched).toHaveLength(1);
    const next = await readAll(conversation.run(steps({ say: 'Three.' })));
    expect(launched).toHaveLength(2);
    expect(next.result).toMatchObject({ outcome: 'done', output: 'Three.' });
    expect(next.result.nativeSessionId).toBe(few.result.nativeSessionId);
    const codes = [few, leaking, next].map(({ events }) =>
      all(events, 'notice').map(({ code }) => code),
    );
    expect(codes).toEqual([[], [], ['agent_replaced']]);
    await readAll(conversation.run(steps({ say: 'Four.' })));
    expect(launched).toHaveLength(2);
  });

  test('the second knows the name of the session too', async () => {
    const conversation = await demoWorld().open();
    await conversation.run(steps({ say: 'One.' })).collect();
    const { result } = await readAll(conversation.run(steps({ say: 'Two.' })));
    expect(result.nativeSessionId).toBe(conversation.nativeSessionId);
  });

  test('the session facts of the agent apply to every run', async () => {
    const named = { type: 'run.identified', nativeSessionId: 's', model: 'm', version: '2' };
    const script = `${demoLine(named)}; read -r o
read -r one; ${DONE}; read -r two; ${demoLine(named)}; ${DONE}; read -r end`;
    const conversation = await demoWorld(script).open();
    await readAll(conversation.run('One'));
    const { events, result } = await readAll(conversation.run('Two'));
    expect(all(events, 'run.identified')).toMatchObject([{ ...named, synthetic: true }]);
    expect(result.nativeSessionId).toBe('s');
  });

  test('an empty prompt is refused and costs nothing', async () => {
    const conversation = await demoWorld().open();
    expect(() => conversation.run(' ')).toThrow(/empty/);
    expect((await conversation.run(steps({ say: 'Hi.' })).collect()).outcome).toBe('done');
  });

  test('each has its own abort signal', async () => {
    const conversation = await demoWorld().open();
    const abort = new AbortController();
    const run = conversation.run('demo:stall', { signal: abort.signal });
    const { rest } = await upTo(run, 'message.completed');
    abort.abort();
    expect((await rest).result.outcome).toBe('cancelled');
    expect((await conversation.run(steps({ say: 'Again.' })).collect()).output).toBe('Again.');
  });

  test('cancelling an earlier one again returns the report of its own stop', async () => {
    const conversation = await demoWorld().open();
    const run = conversation.run('demo:stall');
    const { rest } = await upTo(run, 'message.completed');
    const report = await run.cancel();
    await rest;
    await conversation.run(steps({ say: 'Next.' })).collect();
    expect(await run.cancel()).toEqual(report);
  });

  test('the system prompt is prepended to the first one only', async () => {
    const script = `read -r open
while read -r line; do printf '%s\\n' "$line" >> prompts.txt; ${DONE}; done`;
    const world = demoWorld(script, promptOnlyDemo);
    const conversation = await world.open({ systemPrompt: 'Be brief.' });
    await conversation.run('One').collect();
    await conversation.run('Two').collect();
    const prompts = readFileSync(join(world.cwd, 'prompts.txt'), 'utf8').trim().split('\n');
    expect(prompts.map((line) => JSON.parse(line).text)).toEqual(['Be brief.\n\nOne', 'Two']);
  });

  test('a system prompt that cannot be applied to a resumed session is reported', async () => {
    const world = demoWorld(undefined, promptOnlyDemo);
    const { nativeSessionId } = await world.start([{ say: 'Hi.' }]).collect();
    const run = world.start([{ say: 'Again.' }], {
      resume: nativeSessionId,
      systemPrompt: 'Be brief.',
    });
    const { events } = await finish(run);
    expect(all(events, 'notice')).toContainEqual(
      expect.objectContaining({ code: 'option_ignored', level: 'warning' }),
    );
  });
});

describe.concurrent('closing', () => {
  test('ends the agent, and rejects further runs', async () => {
    const conversation = await demoWorld(undefined, patientDemo).open();
    const run = conversation.run(steps({ say: 'Hi.' }));
    await run.result;
    expect(await conversation.close()).toMatchObject({ state: 'stopped', killed: 0 });
    assertNothingSurvives(run.runId);
    expect(() => conversation.run('More')).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('twice is the same as once', async () => {
    const conversation = await demoWorld().open();
    await conversation.run(steps({ say: 'Hi.' })).collect();
    expect(await conversation.close()).toBe(await conversation.close());
  });

  test('before any run does nothing', async () => {
    const conversation = await demoWorld().open();
    expect((await conversation.close()).state).toBe('stopped');
  });

  test('in the middle of a run cancels it', async () => {
    const conversation = await demoWorld().open();
    const run = conversation.run('demo:stall');
    const { rest } = await upTo(run, 'message.completed');
    expect((await conversation.close()).state).toBe('stopped');
    assertNothingSurvives(run.runId);
    expect((await rest).result).toMatchObject({
      outcome: 'cancelled',
      error: { message: 'The conversation was closed.' },
    });
  });

  test('ends what the agent left running', async () => {
    const conversation = await demoWorld().open();
    const run = conversation.run('demo:leave');
    await run.result;
    expect((await conversation.close()).killed).toBeGreaterThan(0);
    assertNothingSurvives(run.runId);
  });
});

describe.concurrent('an agent that crashes', () => {
  test('fails its run with its last output, and the next prompt reopens the session', async () => {
    const conversation = await demoWorld().open();
    const crash = await readAll(conversation.run('demo:crash'));
    expect(crash.result).toMatchObject({
      outcome: 'failed',
      exitCode: 70,
      output: 'I am going to crash now.',
      error: { code: 'agent_crashed', message: 'The demo agent crashes, as it was asked to.' },
    });
    const session = conversation.nativeSessionId;
    const again = await readAll(conversation.run(steps({ say: 'Back again.' })));
    expect(again.result).toMatchObject({ outcome: 'done', output: 'Back again.' });
    expect(again.result.nativeSessionId).toBe(session);
  });

  test('is distinguished from one that was killed', async () => {
    const conversation = await demoWorld().open();
    const { result } = await readAll(conversation.run(steps({ crash: 'SIGKILL' })));
    expect(result).toMatchObject({ signal: 'SIGKILL', error: { code: 'agent_crashed' } });
  });

  test('between two prompts does not fail the next one', async () => {
    const script = `read -r open; read -r prompt; ${DONE}; exit 7`;
    const conversation = await demoWorld(script).open();
    for (const waits of [false, true, false, true, false]) {
      const run = conversation.run('Hello');
      expect((await readAll(run)).result.outcome).toBe('done');
      if (waits) await vi.waitFor(() => assertNothingSurvives(run.runId));
    }
  });

  test('with an open tool ends the tool', async () => {
    const conversation = await demoWorld().open({ permissionMode: 'allow-all' });
    const script = steps({ shell: 'kill -9 $PPID' });
    const { events } = await readAll(conversation.run(script));
    expect(first(events, 'tool.completed')).toMatchObject({ outcome: 'error', synthetic: true });
  });
});

describe.concurrent('what an agent says between two prompts', () => {
  test('is not lost: the next run starts with it', async () => {
    const late = demoLine({ type: 'notice', level: 'info', code: 'text', message: 'By the way.' });
    const script = `read -r open
read -r one; ${DONE}
while [ ! -e between.txt ]; do sleep 0.02; done
${late}; touch said.txt
read -r two; ${DONE}; read -r end`;
    const world = demoWorld(script);
    const conversation = await world.open();
    await readAll(conversation.run('One'));
    writeFileSync(join(world.cwd, 'between.txt'), '');
    await vi.waitFor(() => expect(existsSync(join(world.cwd, 'said.txt'))).toBe(true));
    // What is in the pipe is read in the next turn.
    await nextTurn();
    const { events } = await readAll(conversation.run('Two'));
    expect(events.map(({ type }) => type)).toEqual(['run.started', 'notice', 'run.completed']);
    expect(first(events, 'notice').message).toBe('By the way.');
  });
});

describe.concurrent('sessions', () => {
  test('a fork is forked again when its first process failed', async () => {
    const world = demoWorld();
    const { nativeSessionId: original } = await world.start([{ say: 'Hi.' }]).collect();
    const flaky = demoWorld('mkdir tried 2>/dev/null && exit 75; exec "$NODE" "$@"');
    const run = flaky.start([{ say: 'Copy.' }], {
      resume: original,
      fork: true,
      retry: { attempts: 1, baseMs: 1 },
      env: { NODE: process.execPath },
    });
    const { result } = await finish(run);
    expect(result).toMatchObject({ outcome: 'done', output: 'Copy.' });
    expect(result.nativeSessionId).not.toBe(original);
  });

  test('a session that does not exist fails the run', async () => {
    const { result } = await finish(demoWorld().start([{ say: 'Hi.' }], { resume: 'nobody' }));
    expect(result.error).toMatchObject({ code: 'session_not_found', hint: expect.any(String) });
  });
});

test.concurrent('every event of a real run fits the published JSON Schema', async () => {
  const { newAjv } = await import('../emulate/ajv.ts');
  const { jsonSchemaOf } = await import('@baton/protocol');
  const validate = newAjv().compile(jsonSchemaOf('AgentEvent'));
  const run = demoWorld().start('Show me around', {
    permissionMode: 'auto',
    onRequest: denyUnattended,
  });
  const { events } = await finish(run);
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(10);
  for (const event of events) {
    const travelled = JSON.parse(JSON.stringify(event));
    expect([event.type, validate(travelled), validate.errors]).toEqual([event.type, true, null]);
  }
});

test.concurrent('a dialect that fails at its first step leaves no process behind', async () => {
  const { defineBackend } = await import('./define-backend.ts');
  const { demoCapabilities } = await import('../../../agents/src/backends/demo/capabilities.ts');
  const { DEFAULT_STOP } = await import('../definition/driver.ts');
  const world = demoWorld();
  const broken = defineBackend({
    id: 'broken',
    label: 'Broken',
    install: '',
    capabilities: demoCapabilities,
    settingsPaths: ['.broken'],
    drivers: [
      {
        transport: 'live',
        keepsProcess: true,
        stop: DEFAULT_STOP,
        launch: () => ({ args: ['-c', 'sleep 60'], stdin: 'open' }),
        dialect: () => ({
          open: () => {
            throw new Error('I was not born for this.');
          },
          line: () => {},
          end: () => undefined,
        }),
      },
    ],
    binary: { command: '/bin/sh', version: '1' },
    credentials: () => ({ credentials: 'not_needed' }),
  })();
  const run = broken.run({ prompt: 'Hello', cwd: world.cwd });
  const { result } = await finish(run);
  expect(result.error).toMatchObject({ code: 'internal', message: 'I was not born for this.' });
  assertNothingSurvives(run.runId);
});

describe.concurrent('the options of one prompt', () => {
  const asked = (events: AgentEvent[]) => all(events, 'permission.requested').length;
  const SHELL = steps({ shell: 'true' });

  test('apply to that prompt only, in the same session', async () => {
    const launched: string[] = [];
    const conversation = await demoWorld().open({
      onRequest: denyUnattended,
      onLaunch: ({ transport }) => launched.push(transport),
    });
    const before = await readAll(conversation.run(SHELL));
    const during = await readAll(conversation.run(SHELL, { permissionMode: 'allow-all' }));
    const after = await readAll(conversation.run(SHELL));
    expect([before, during, after].map(({ events }) => asked(events))).toEqual([1, 0, 1]);
    expect(launched).toHaveLength(3);
    const session = before.result.nativeSessionId;
    expect([during, after].map(({ result }) => result.nativeSessionId)).toEqual([session, session]);
  });

  test('that Baton emulates keep the process', async () => {
    const launched: string[] = [];
    const conversation = await demoWorld(undefined, patientDemo).open({
      onLaunch: ({ transport }) => launched.push(transport),
    });
    await conversation.run(steps({ say: 'Hi.' })).collect();
    const checked = conversation.run(steps({ say: '7' }), {
      outputSchema: { type: 'number' },
      runId: 'mine',
    });
    const { outcome, structured } = await checked.collect();
    expectTypeOf(structured).toEqualTypeOf<number | undefined>();
    expect([checked.runId, outcome, structured]).toEqual(['mine', 'done', 7]);
    const stalled = conversation.run('demo:stall', { timeouts: { totalMs: 200 } });
    expect((await stalled.collect()).outcome).toBe('timed_out');
    const handled = conversation.run(SHELL, { onRequest: () => ({ decision: 'allow' }) });
    const { events } = await readAll(handled);
    expect(first(events, 'permission.resolved').decision).toBe('allow');
    expect(launched).toHaveLength(1);
  });

  test('that a conversation cannot change are refused, and so are mistakes', async () => {
    const conversation = await demoWorld().open();
    const wrong: [object, string][] = [
      [{ cwd: '/' }, 'capability_missing'],
      [{ systemPrompt: 'Other.' }, 'capability_missing'],
      [{ model: 'other' }, 'capability_missing'],
      [{ modle: 'other' }, 'usage'],
      [{ providerOptions: { pase: 1 } }, 'usage'],
      [{ requests: { timeoutMs: -1 } }, 'usage'],
      [{ requests: { timeoutMs: 1, otherwise: 'perhaps' } }, 'usage'],
    ];
    for (const [options, code] of wrong) {
      expect(() => conversation.run('Hi', options)).toThrow(expect.objectContaining({ code }));
    }
    expect((await conversation.run(steps({ say: 'Hi.' })).collect()).outcome).toBe('done');
  });

  test('that need a restart are refused while the agent has not named its session', async () => {
    const conversation = await demoWorld(`read -r o; while read -r p; do ${DONE}; done`).open();
    await conversation.run('One').collect();
    expect(() => conversation.run('Two', { permissionMode: 'allow-all' })).toThrow(
      expect.objectContaining({
        code: 'capability_missing',
        hint: expect.stringContaining('open()'),
      }),
    );
  });
});
