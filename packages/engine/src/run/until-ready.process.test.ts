import { describe, expect, test } from 'vitest';
import { demoWorld, finish, keepDemoWorlds } from '../../../agents/src/testing/demo-world.ts';

keepDemoWorlds();

describe.concurrent('an agent that may not act yet', () => {
  test('is started, and gets its prompt afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const sent: string[] = [];
    const run = demoWorld().start([{ say: 'Hi.' }], {
      ready: gate.promise,
      onSent(text) {
        sent.push(JSON.parse(text).type);
        started.resolve();
      },
    });
    await started.promise;
    await new Promise(setImmediate);
    expect(sent).toEqual(['open']);
    gate.resolve();
    const { result } = await finish(run);
    expect(result).toMatchObject({ outcome: 'done', output: 'Hi.' });
    expect(sent.slice(0, 2)).toEqual(['open', 'prompt']);
  });

  test('never gets its prompt if the run is stopped before', async () => {
    const sent: string[] = [];
    const started = Promise.withResolvers<void>();
    const run = demoWorld().start([{ say: 'Hi.' }], {
      ready: new Promise(() => {}),
      onSent(text) {
        sent.push(JSON.parse(text).type);
        started.resolve();
      },
    });
    await started.promise;
    void run.cancel();
    const { result } = await finish(run);
    expect(result.outcome).toBe('cancelled');
    expect(sent).not.toContain('prompt');
  });

  test('fails with the reason why it may not act at all', async () => {
    const ready = Promise.reject(new Error('the disk is gone'));
    const run = demoWorld().start([{ say: 'Hi.' }], { ready });
    const { result } = await finish(run);
    expect(result).toMatchObject({ outcome: 'failed', error: { message: 'the disk is gone' } });
  });
});
