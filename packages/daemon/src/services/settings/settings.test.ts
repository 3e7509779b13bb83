import { expect, test } from 'vitest';
import { readSettings } from '../../settings/read-settings.ts';
import { SETTING_NAMES, SETTINGS } from '../../settings/settings.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

test('every setting has its default, and the default makes sense', async () => {
  const daemon = await testDaemon();
  const settings = await readSettings(daemon.daemon.store);
  for (const name of SETTING_NAMES) {
    expect(settings[name]).toEqual(SETTINGS[name].default);
    expect(SETTINGS[name].schema.parse(SETTINGS[name].default)).toEqual(SETTINGS[name].default);
  }
  const { body } = await daemon.call('GET', '/settings', { as: daemon.tokens.viewer });
  expect(body).toHaveLength(SETTING_NAMES.length);
});

test('an owner changes one, and the rest of the daemon reads it', async () => {
  const daemon = await testDaemon();
  const policy = { after_ms: 60_000, action: 'deny' };
  const changed = await daemon.call('PATCH', '/settings/requests.policy', {
    body: { value: policy },
  });
  expect(changed).toMatchObject({ status: 200, body: { value: policy, default: null } });
  expect(await daemon.call('GET', '/settings/requests.policy')).toMatchObject({
    body: { name: 'requests.policy', value: policy },
  });
  expect(await readSettings(daemon.daemon.store)).toMatchObject({ 'requests.policy': policy });
  await daemon.call('PATCH', '/settings/retention.raw_output_days', { body: { value: null } });
  const settings = await readSettings(daemon.daemon.store);
  expect(settings['retention.raw_output_days']).toBeNull();
});

test('unknown names and values that make no sense are refused, with what would do', async () => {
  const daemon = await testDaemon();
  const patch = (name: string, value: unknown) =>
    daemon.call('PATCH', `/settings/${name}`, { body: { value } });
  expect(await patch('retention.days', 3)).toMatchObject({
    status: 404,
    body: { message: 'Unknown setting "retention.days".' },
  });
  const wrong = await patch('executors.isolation', 'docker');
  expect(wrong).toMatchObject({ status: 400, body: { data: { code: 'usage' } } });
  expect(wrong.body.message).toContain('executors.isolation');
  expect(wrong.body.message).toContain('bubblewrap');
  expect((await patch('retention.archived_days', -1)).status).toBe(400);
});

test('a policy that version 0.1 wrote is read with the names of today', async () => {
  const { daemon } = await testDaemon();
  const value = JSON.stringify({ afterMs: 60_000, action: 'deny' });
  await daemon.store.records.settings.put({ name: 'requests.policy', value, updated_at: 1 });
  expect((await readSettings(daemon.store))['requests.policy']).toEqual({
    after_ms: 60_000,
    action: 'deny',
  });
});

test('a value that this version does not understand counts as not set', async () => {
  const { daemon } = await testDaemon();
  const row = { name: 'executors.isolation', value: '"something newer"', updated_at: 1 };
  await daemon.store.records.settings.put(row);
  expect((await readSettings(daemon.store))['executors.isolation']).toBe('none');
});
