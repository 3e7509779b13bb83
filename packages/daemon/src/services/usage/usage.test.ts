import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

test('usage is summed up by what is asked for', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  await daemon.call('POST', `/sessions/${id}/executeTask`, { body: { prompt: 'Hi' } });
  const zero = { tasks: 1, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
  const usage = async (query: string) => (await daemon.call('GET', `/usage${query}`)).body;
  expect(await usage('?group_by=session')).toEqual([{ key: id, ...zero }]);
  expect(await usage('')).toEqual([{ key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...zero }]);
  expect(await usage('?group_by=backend&to=2020-01-01')).toEqual([]);
  expect(await usage('?group_by=backend&from=2020-01-01T00:00:00Z')).toMatchObject([
    { key: 'demo' },
  ]);
  expect(await daemon.call('GET', '/usage?group_by=color')).toMatchObject({ status: 400 });
  expect(await daemon.call('GET', '/usage?from=yesterday')).toMatchObject({ status: 400 });
});
