import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { demoBackend } from '../../../agents/src/testing/built-in-backends.ts';

const RUNS = 500;
const PROMPTS = 2000;

test('hundreds of runs, some of them stopped, leave no descriptor and little memory behind', async () => {
  const backend = demoBackend();
  const one = async (index: number) => {
    const prompt = index % 5 === 0 ? 'demo:stall' : 'demo:script [{"say":"Hello again."}]';
    const run = backend.run({ prompt, providerOptions: { pace: 0 } });
    for await (const event of run) {
      if (index % 5 === 0 && event.type === 'message.completed') void run.cancel();
    }
    const { outcome } = await run.result;
    expect(outcome).toBe(index % 5 === 0 ? 'cancelled' : 'done');
  };
  for (let index = 0; index < 20; index += 1) await one(index);
  const before = { descriptors: descriptors(), heap: heap() };
  for (let index = 0; index < RUNS; index += 1) await one(index);
  expect(descriptors()).toBe(before.descriptors);
  expect(heap() - before.heap).toBeLessThan(20_000_000);
});

test('thousands of prompts in one conversation use no more memory than a few', async () => {
  const conversation = await demoBackend().open({ providerOptions: { pace: 0 } });
  const one = async () => {
    const { outcome } = await conversation.run('demo:script [{"say":"And again."}]').collect();
    expect(outcome).toBe('done');
  };
  for (let index = 0; index < 50; index += 1) await one();
  const before = heap();
  for (let index = 0; index < PROMPTS; index += 1) await one();
  expect(heap() - before).toBeLessThan(20_000_000);
  expect((await conversation.close()).state).toBe('stopped');
});

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
