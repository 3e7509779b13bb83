import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';
import { withDefaults } from './default-options.ts';

const setDefaults = (daemon: TestDaemon, options: unknown, backend = 'demo') =>
  daemon.call('PATCH', `/backends/${backend}`, { body: { options } });
const prompted = async (daemon: TestDaemon, sessionId: string, body: object = {}) =>
  (
    await daemon.call('POST', `/sessions/${sessionId}/executeTask`, {
      body: { prompt: 'Hi', ...body },
    })
  ).body;

test('tasks get the default options of their agent, unless they say otherwise', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const options = { maxTurns: 5, systemPrompt: 'Be kind.', env: { A: '1', B: '2' } };
  const { status, body } = await setDefaults(daemon, { ...options, budgetUsd: null });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: 'demo', default_options: options });
  expect((await daemon.call('GET', '/backends/demo')).body.default_options).toEqual(options);
  expect(await prompted(daemon, id)).toMatchObject({ options, model: null });
  const own = {
    maxTurns: 2,
    systemPrompt: null,
    env: { A: null, C: '3' },
    timeouts: { idleMs: null },
  };
  expect((await prompted(daemon, id, { options: own })).options).toEqual({
    maxTurns: 2,
    env: { B: '2', C: '3' },
    timeouts: {},
  });
  expect((await prompted(daemon, id, { backend: 'codex' })).options).toEqual({});
  expect((await setDefaults(daemon, null)).body.default_options).toEqual({});
  expect((await prompted(daemon, id)).options).toEqual({});
});

test('a default model is for sessions and prompts without one', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  await daemon.call('PATCH', `/sessions/${id}`, { body: { backend: 'codex' } });
  await setDefaults(daemon, { model: 'large' }, 'codex');
  expect(await prompted(daemon, id)).toMatchObject({ model: 'large', options: {} });
  expect(await prompted(daemon, id, { model: 'small' })).toMatchObject({ model: 'small' });
  await daemon.call('PATCH', `/sessions/${id}`, { body: { model: 'medium' } });
  expect(await prompted(daemon, id)).toMatchObject({ model: 'medium' });
});

test('a retry with another agent drops options that only the previous one supports', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  await setDefaults(daemon, { providerOptions: { pace: 0 }, maxTurns: 3 });
  const taskId = String((await prompted(daemon, id)).task_id);
  const retried = async (body: object) =>
    (await daemon.call('POST', `/sessions/${id}/retryTask`, { body: { task_id: taskId, ...body } }))
      .body;
  expect(await retried({})).toMatchObject({
    options: { providerOptions: { pace: 0 }, maxTurns: 3 },
  });
  expect((await retried({ backend: 'codex' })).options).toEqual({ maxTurns: 3 });
});

test.each([
  [{ colour: 'red' }, 'unknown field "colour"'],
  [{ cwd: '/tmp' }, 'unknown field "cwd"'],
  [{ maxTurns: 'many' }, 'data.options.maxTurns'],
  [{ providerOptions: { colour: 'red' } }, 'has no provider option "colour"'],
  [{ providerOptions: { pace: 'abc' } }, '"pace" must be a number of milliseconds'],
  [{ transport: 'smoke' }, 'has no transport "smoke"'],
  [{ mode: 'interactive' }, 'A run is not interactive.'],
  [{ outputSchema: { type: 'bogus' } }, 'The output schema is not a valid JSON Schema: schema is'],
])('%j is refused', async (options, words) => {
  const daemon = await testDaemon();
  const { status, body } = await setDefaults(daemon, options);
  expect(status).toBe(400);
  expect(body.message).toContain(words);
  expect((await daemon.call('GET', '/backends/demo')).body.default_options).toEqual({});
});

test('unsupported options cannot be defaults', async () => {
  const daemon = await testDaemon();
  expect(await setDefaults(daemon, { model: 'large' })).toMatchObject({
    status: 400,
    body: { data: { code: 'capability_missing' } },
  });
});

test('an option of a task overrides the default, which applies otherwise', () => {
  const options = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
  fc.assert(
    fc.property(options, options, (own, defaults) => {
      expect(withDefaults(own, defaults)).toEqual({ ...defaults, ...own });
      expect(withDefaults({ env: own }, { env: defaults })).toEqual({
        env: { ...defaults, ...own },
      });
    }),
  );
});
