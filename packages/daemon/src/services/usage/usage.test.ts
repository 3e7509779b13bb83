import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const NOTHING = {
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  cost_estimated: false,
  duration_ms: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
  timed_out: 0,
};

test('usage is grouped as requested', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  await daemon.call('POST', `/sessions/${id}/executeTask`, { body: { prompt: 'Hi' } });
  const zero = { tasks: 1, ...NOTHING };
  const usage = async (query: string) => (await daemon.call('GET', `/usage${query}`)).body;
  expect(await usage('?group_by=session')).toEqual([{ key: id, group: { session: id }, ...zero }]);
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(await usage('')).toEqual([{ key: day, group: { day }, ...zero }]);
  expect(await usage('?group_by=backend&to=2020-01-01')).toEqual([]);
  expect(await usage('?group_by=backend&from=2020-01-01T00:00:00Z')).toMatchObject([
    { key: 'demo' },
  ]);
  expect(await usage('?group_by=folder')).toMatchObject([{ key: '/tmp' }]);
  for (const both of ['group_by=day,backend', 'group_by=day&group_by=backend']) {
    expect(await usage(`?${both}`)).toMatchObject([{ key: day, group: { day, backend: 'demo' } }]);
  }
});

test.each([
  'group_by=color',
  'group_by=day,day',
  'group_by=day,backend,user',
  'group_by=',
  'from=yesterday',
])('%s makes no sense', async (query) => {
  const daemon = await testDaemon();
  expect(await daemon.call('GET', `/usage?${query}`)).toMatchObject({ status: 400 });
});
