import { describe, expect, test } from 'vitest';
import {
  all,
  assertNothingSurvives,
  demoLine,
  demoWorld,
  finish,
  first,
  keepDemoWorlds,
} from '../../../agents/src/testing/demo-world.ts';
import { heapInUse } from '../../../agents/src/testing/memory.ts';

keepDemoWorlds();

describe('much output', () => {
  test('100,000 events come in order, and few of them are in memory at any time', async () => {
    const run = demoWorld().start('demo:flood=100000');
    const before = heapInUse();
    let seq = 0;
    let deltas = 0;
    let text = 0;
    let most = 0;
    let misplaced = 0;
    for await (const event of run) {
      // One assertion for all of them: each takes longer than the event.
      if (event.seq !== seq + 1) misplaced += 1;
      seq = event.seq;
      if (event.type === 'message.delta') {
        deltas += 1;
        text += event.text.length;
        if (event.text !== `${deltas} `) misplaced += 1;
      }
      if (seq % 20_000 === 0) most = Math.max(most, heapInUse() - before - 60 * deltas);
    }
    expect(misplaced).toBe(0);
    expect(deltas).toBe(100_000);
    expect(text).toBeGreaterThan(500_000);
    expect(most).toBeLessThan(20_000_000);
  });

  test('a million bytes in one line is one line', async () => {
    const run = demoWorld().start([{ garbage: 'x'.repeat(1_000_000) }, { say: 'Still here.' }]);
    const { events, result } = await finish(run);
    expect(first(events, 'unparsed').line).toHaveLength(1_000_000);
    expect(result.output).toBe('Still here.');
  });

  test('characters that arrive in pieces stay whole', async () => {
    const text = '\u{1F600} Grüße 漢字 '.repeat(5000);
    const { result } = await finish(demoWorld().start([{ garbage: text }, { say: text.trim() }]));
    expect(result.output).toBe(text.trim());
  });

  test('a flood on standard error is cut and harms nothing', async () => {
    const done = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });
    const script = `read -r o; read -r p; seq 1 20000 >&2; ${done}; read -r end`;
    const { events, result } = await finish(demoWorld(script).start('Hi'));
    expect(result.outcome).toBe('done');
    const notices = all(events, 'notice').filter(({ code }) => code === 'stderr');
    expect(notices).toHaveLength(201);
  });
});

describe('bad input', () => {
  test('accepts a prompt of 10 MB', async () => {
    const prompt = `demo:script [{"say":"Long."}] ${'x'.repeat(10_000_000)}`;
    const run = demoWorld().start(prompt);
    const { result } = await finish(run);
    expect(result.output).toBe('Long.');
    assertNothingSurvives(run.runId);
  });

  test('garbage is kept line by line, and the run continues', async () => {
    const { events, result } = await finish(demoWorld().start('demo:garbage'));
    expect(first(events, 'unparsed')).toMatchObject({
      line: 'this is not JSON {',
      source: 'stdout',
    });
    expect(result).toMatchObject({ outcome: 'done', output: 'That was garbage.' });
  });
});
