import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

test.each([
  [{ maxTurns: 0 }, 'data.options.maxTurns'],
  [{ colour: 'red' }, 'unknown field "colour"'],
  [{ providerOptions: { pace: 'abc' } }, '"pace" must be a number of milliseconds'],
  [{ transport: 'smoke' }, 'has no transport "smoke"'],
  [{ resume: '' }, 'The option resume is empty.'],
  [{ sessionId: ' ' }, 'The option sessionId is empty.'],
  [{ outputSchema: { type: 'bogus' } }, 'The output schema is not a valid JSON Schema: schema is'],
])('a prompt with the options %j is refused before it is a task', async (options, words) => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const { status, body } = await daemon.call('POST', `/sessions/${id}/executeTask`, {
    body: { prompt: 'Hi', options },
  });
  expect(status).toBe(400);
  expect(body.message).toContain(words);
  expect((await daemon.call('GET', `/tasks?session_id=${id}`)).body.total).toBe(0);
});

test.each(['', ' '])('the model %j is refused before it is a task', async (model) => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const body = { prompt: 'Hi', model };
  const given = await daemon.call('POST', `/sessions/${id}/executeTask`, { body });
  expect(given).toMatchObject({ status: 400, body: { message: expect.stringContaining('model') } });
  expect((await daemon.call('PATCH', `/sessions/${id}`, { body: { model } })).status).toBe(400);
  expect((await daemon.call('GET', `/tasks?session_id=${id}`)).body.total).toBe(0);
});

test('options are checked for the agent that gets the prompt', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const give = (body: object) => daemon.call('POST', `/sessions/${id}/executeTask`, { body });
  const options = { providerOptions: { pace: 0 }, maxTurns: null };
  expect((await give({ prompt: 'Hi', options })).status).toBe(200);
  expect((await give({ prompt: 'Hi', options, backend: 'codex' })).body.message).toContain(
    'has no provider option "pace"',
  );
});

test('a retry with an agent that cannot have the options leaves no copy behind', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const options = { tools: { allowed: ['Read'] } };
  const given = { prompt: 'Hi', backend: 'claude', options };
  const { body } = await daemon.call('POST', `/sessions/${id}/executeTask`, { body: given });
  const retry = { task_id: body.task_id, backend: 'codex' };
  expect(await daemon.call('POST', `/sessions/${id}/retryTask`, { body: retry })).toMatchObject({
    body: { data: { code: 'capability_missing' } },
  });
  expect((await daemon.call('GET', '/sessions')).body.total).toBe(1);
});
