import type { DaemonRecord, ExecutorRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { mayRunRemotely } from './may-run-remotely.ts';

const HERE = { daemon_id: 'd', slots: 4 };

const daemon = (daemon_id: string, facts: Partial<DaemonRecord> = {}) =>
  ({ daemon_id, host: 'here', slots: 4, alive: true, ...facts }) as DaemonRecord;
const executor = (host: string) => ({ host }) as ExecutorRecord;

test('where a daemon runs every task itself, no other machine has its folder', () => {
  expect(mayRunRemotely(HERE, [daemon('d')], [executor('here')])).toBe(false);
});

test('a daemon that runs none leaves them to executors elsewhere', () => {
  const none = { daemon_id: 'd', slots: 0 };
  expect(mayRunRemotely(none, [daemon('d', { slots: 0 })], [])).toBe(true);
});

test('an executor, or a daemon that lives and runs tasks, may have it on another machine', () => {
  const beside = (...others: DaemonRecord[]) => mayRunRemotely(HERE, [daemon('d'), ...others], []);
  expect(mayRunRemotely(HERE, [daemon('d')], [executor('there')])).toBe(true);
  expect(beside(daemon('e', { host: 'there' }))).toBe(true);
  expect(beside(daemon('e', { host: 'there', alive: false }))).toBe(false);
  expect(beside(daemon('e', { host: 'there', slots: 0 }))).toBe(false);
  expect(beside(daemon('e'))).toBe(false);
});
