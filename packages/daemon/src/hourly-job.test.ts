import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HourlyJob } from './hourly-job.ts';

const log = pino({ level: 'silent' });

test('works at the start and every hour, until it is closed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const work = vi.fn(async () => {});
  const job = new HourlyJob(log, work);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(work).toHaveBeenCalledTimes(2);
  await job.close();
  await vi.advanceTimersByTimeAsync(7_200_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('an error is logged, and ends nothing', async () => {
  const warn = vi.spyOn(log, 'warn');
  const job = new HourlyJob(log, () => Promise.reject(new Error('gone')));
  await expect(job.close()).resolves.toBeUndefined();
  expect(warn).toHaveBeenCalledTimes(1);
});
