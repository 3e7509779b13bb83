import { expect, test } from 'vitest';
import { knownSetting, shownValue } from './known-settings.ts';

const shown = (name: string, value: unknown) => shownValue(knownSetting(name, null).control, value);

test('values are shown as text', () => {
  expect(shown('retention.raw_output_days', 14)).toBe('14 days');
  expect(shown('retention.raw_output_days', null)).toBe('forever');
  expect(shown('raw_output.max_bytes', 50 * 1024 * 1024)).toBe('50 MB');
  expect(shown('executors.keep_open_ms', 1000)).toBe('1 second');
  expect(shown('executors.keep_open_ms', 0)).toBe('off');
  expect(shown('executors.isolation', 'user')).toBe('Unix user');
  expect(shown('executors.isolation_network', false)).toBe('off');
  expect(shown('requests.policy', { after_ms: 600_000, action: 'deny' })).toBe('deny after 10 min');
  expect(shown('requests.policy', null)).toBe('wait');
});

test('a setting that is not known here gets the control that fits its default', () => {
  expect(knownSetting('new.switch', true)).toEqual({
    label: 'new.switch',
    control: { kind: 'switch' },
  });
  expect(knownSetting('new.thing', { a: 1 }).control).toEqual({ kind: 'json' });
});
