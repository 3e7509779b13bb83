import type { BatonClient } from '@baton/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Heartbeat } from './heartbeat.ts';

const HOUR = 3_600_000;

test('a heartbeat is sent as soon as a lost connection is back', () => {
  let tell = (_isUp: boolean) => {};
  const unwatch = vi.fn();
  const watch = (listener: (isUp: boolean) => void) => {
    tell = listener;
    tell(true);
    return unwatch;
  };
  const heartbeat = vi.fn(async () => ({}));
  const client = { connection: { watch }, executors: { heartbeat } } as unknown as BatonClient;
  const beating = new Heartbeat(client, HOUR, () => {});
  onTestFinished(() => beating.stop());
  expect(heartbeat).not.toHaveBeenCalled();
  tell(false);
  expect(heartbeat).not.toHaveBeenCalled();
  tell(true);
  expect(heartbeat).toHaveBeenCalledOnce();
  beating.stop();
  expect(unwatch).toHaveBeenCalledOnce();
});
