import { join } from 'node:path';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { all, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { appears, call, delegate, Playground, pinnedClaude, shell } from './testing/playground.ts';

const ground = new Playground();

/** An answer that takes its time. */
const slow = (word: string) => ({
  text: Array.from({ length: 30 }, () => `${word} `),
  deltaDelayMs: 50,
});

describe.concurrent('turns', () => {
  test('two prompts in one process have each their own usage and cost', async () => {
    await ground.converse({}, async (conversation) => {
      const one = await ground.turn(conversation, [{ text: 'One.' }]);
      const two = await ground.turn(conversation, [{ text: 'Two.' }]);
      expect([one.result.output, two.result.output]).toEqual(['One.', 'Two.']);
      expect(two.result.usage?.inputTokens).toBe(one.result.usage?.inputTokens);
      expect(two.result.usage?.costUsd).toBeCloseTo(one.result.usage?.costUsd ?? 0, 6);
      expect(two.result.nativeSessionId).toBe(one.result.nativeSessionId);
    });
  });

  test('a prompt can have its own schema and model, in the same session', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    await ground.converse({}, async (conversation) => {
      const one = await ground.turn(conversation, [{ text: 'Remember 17.' }]);
      const prompt = ground.prompt([call('StructuredOutput', { n: 7 })]);
      const two = await conversation.run(prompt, { outputSchema, model: 'sonnet' }).collect();
      const three = await ground.turn(conversation, [{ text: 'Three.' }]);
      expect(two).toMatchObject({ outcome: 'done', structured: { n: 7 } });
      expect([two.nativeSessionId, three.result.nativeSessionId]).toEqual([
        one.result.nativeSessionId,
        one.result.nativeSessionId,
      ]);
      expect(three.result.output).toBe('Three.');
      const asked = ground.asked.filter((body) => body.includes('Remember 17.'));
      const isSonnet = asked.map((body) => /"model":"[^"]*sonnet/.test(body));
      expect(isSonnet).toContain(true);
      expect(isSonnet.at(-1)).toBe(false);
    });
  });

  test.for([
    ['resumed', 'live', { fork: false }],
    ['forked', 'live', { fork: true }],
    ['resumed', 'print', { fork: false }],
  ] as const)(
    'a run that was %s through %s tells its own cost and tokens alone',
    async ([, transport, { fork }]) => {
      const place = await ground.place();
      const first = await ground.play(place, { prompt: ground.prompt([{ text: 'One.' }]) });
      const { nativeSessionId: resume, usage: alone } = first.result;
      // Twice: the totals that a session begins with are those of all runs before.
      for (const text of ['Two.', 'Three.']) {
        const prompt = ground.prompt([{ text }]);
        const again = await ground.play(place, { prompt, resume, fork, transport });
        expect(again.result.output).toBe(text);
        expect(again.result.usage).toMatchObject({
          inputTokens: alone?.inputTokens,
          costUsd: expect.closeTo(alone?.costUsd ?? 0, 4),
        });
      }
    },
  );

  test('the budget of a resumed run is its own', async () => {
    const place = await ground.place();
    const first = await ground.play(place, { prompt: ground.prompt([{ text: 'One.' }]) });
    const cost = first.result.usage?.costUsd ?? 0;
    const { nativeSessionId: resume } = first.result;
    const prompt = () => ground.prompt([{ text: 'Again.' }]);
    const enough = await ground.play(place, { prompt: prompt(), resume, budgetUsd: cost * 1.5 });
    expect(enough.result).toMatchObject({ outcome: 'done', usage: { inputTokens: 1200 } });
    const less = await ground.play(place, { prompt: prompt(), resume, budgetUsd: cost / 2 });
    expect(less.result.error?.code).toBe('budget_exceeded');
    expect(less.result.usage?.inputTokens).toBe(1200);
    expect(less.result.usage?.costUsd).toBeCloseTo(cost, 4);
  });

  test('tokens and cost are those of sub-agents too', async () => {
    const sub = ground.prompt([{ text: 'Looked.', usage: { input: 77, output: 5, cached: 0 } }]);
    const steps = [
      { ...delegate(sub), usage: { input: 100, output: 10, cached: 0 } },
      { text: 'Done.', usage: { input: 200, output: 20, cached: 0 } },
    ];
    const { result } = await ground.run(steps);
    expect(result).toMatchObject({
      outcome: 'done',
      usage: { inputTokens: 377, outputTokens: 35 },
    });
  });

  test('a session gets the id that was asked for', async () => {
    const sessionId = crypto.randomUUID();
    const { result } = await ground.run([{ text: 'Hello.' }], { sessionId });
    expect(result.nativeSessionId).toBe(sessionId);
  });

  test('a session with a given id is retried under that id', async () => {
    const sessionId = crypto.randomUUID();
    const steps = [{ status: 500, times: 1 }, { text: 'Recovered.' }];
    const retry = { attempts: 1, baseMs: 1 };
    const { events, result } = await ground.run(steps, { sessionId, retry });
    expect(result).toMatchObject({ outcome: 'done', output: 'Recovered.' });
    expect(result.nativeSessionId).toBe(sessionId);
    expect(all(events, 'notice').filter(({ code }) => code === 'retry')).toHaveLength(1);
  });

  test('a steering message that is too late for the turn is answered in the same run', async () => {
    const { cwd, env } = await ground.place();
    const more = ground.prompt([{ text: 'Second answer.' }]);
    const first = { text: ['First ', 'answer.'], deltaDelayMs: 500 };
    const run = pinnedClaude.run({ cwd, env, prompt: ground.prompt([first]) });
    let steered = false;
    const { events, result } = await finish(run, async (event) => {
      if (event.type !== 'message.delta' || steered) return;
      steered = true;
      await run.steer(more);
    });
    expect(texts(events)).toEqual(['First answer.', 'Second answer.']);
    expect(result.output).toBe('Second answer.');
    expect(result.usage?.inputTokens).toBe(2400);
  });
});

describe.concurrent('stopping', () => {
  test('withdraws what Claude has not read yet', async () => {
    await ground.converse({}, async (conversation) => {
      const run = conversation.run(ground.prompt([slow('word')]));
      const unheard = ground.prompt([{ text: 'Never said.' }]);
      let deltas = 0;
      for await (const event of run) {
        if (event.type !== 'message.delta' || ++deltas !== 1) continue;
        await run.steer(unheard);
        void run.cancel();
      }
      expect((await run.result).outcome).toBe('cancelled');
      const next = await ground.turn(conversation, [{ text: 'Next.' }]);
      expect(texts(next.events)).toEqual(['Next.']);
      expect(ground.asked.some((body) => body.includes(unheard))).toBe(false);
    });
  });

  test.for([
    ['live', 'interrupt'],
    ['print', 'SIGINT'],
  ] as const)(
    'in the middle of a command, %s: Claude itself ends the command',
    async ([transport, step]) => {
      const { cwd, env } = await ground.place();
      const prompt = ground.prompt([shell('touch began.txt; sleep 60'), { text: 'Never.' }]);
      const tools = { allowed: ['Bash'] };
      const run = pinnedClaude.run({ cwd, env, prompt, transport, tools });
      const stopped = appears(join(cwd, 'began.txt')).then(() => run.cancel());
      const { events, result } = await finish(run);
      expect(result.outcome).toBe('cancelled');
      expect(await stopped).toMatchObject({ state: 'stopped', killed: 0, steps: [{ step }] });
      expect(all(events, 'tool.completed')[0]?.outcome).toBe('cancelled');
    },
  );
});

function texts(events: readonly AgentEvent[]): string[] {
  return all(events, 'message.completed').map(({ text }) => text);
}
