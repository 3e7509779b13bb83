import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { Step } from '../../../../../testbed/fake-model/index.ts';
import { all, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { appears, call, Playground, pinnedClaude, shell } from './testing/playground.ts';

const ground = new Playground();
const FREE = { tools: { allowed: ['Bash', 'Agent'] } };
/** Longer than Claude has to exit once its input is closed. */
const LONG = 'sleep 3';

const inBackground = (command: string): Step =>
  call('Bash', { command, run_in_background: true, description: command });
const usage = { input: 100, output: 10, cached: 0 };

function delegated(command: string): Step[] {
  const prompt = ground.prompt([
    { ...shell(command), usage },
    { text: 'Found 42.', usage },
  ]);
  return [
    { ...call('Agent', { description: 'look', prompt, run_in_background: true }), usage },
    { text: 'I report when it is done.', usage },
    { text: 'REPORT: 42.', usage },
  ];
}

describe.concurrent('background work is part of the run', () => {
  test.for(['live', 'print'] as const)('of a sub-agent, %s', async (transport) => {
    const place = await ground.place();
    const prompt = ground.prompt(delegated(`${LONG}; touch done.txt`));
    const { events, result } = await ground.play(place, { prompt, transport, ...FREE });
    expect(result).toMatchObject({ outcome: 'done', output: 'REPORT: 42.', exitCode: 0 });
    expect(texts(events)).toEqual(['I report when it is done.', 'REPORT: 42.']);
    expect(existsSync(join(place.cwd, 'done.txt'))).toBe(true);
    expect(result.usage).toMatchObject({ inputTokens: 500, outputTokens: 50 });
    expect(usagesOf(events)).toEqual(usagesOf(events).toSorted((one, other) => one - other));
  });

  test.for(['live', 'print'] as const)('of a command, %s', async (transport) => {
    const place = await ground.place();
    const steps = [
      inBackground(`${LONG}; touch built.txt`),
      { text: 'It builds.' },
      { text: 'Built.' },
    ];
    const prompt = ground.prompt(steps);
    const { events, result } = await ground.play(place, { prompt, transport, ...FREE });
    expect(result).toMatchObject({ outcome: 'done', exitCode: 0 });
    // Older releases of `claude -p` end a command 5 s after the answer, but report what ended before.
    expect(texts(events)).toEqual(['It builds.', 'Built.']);
    expect(existsSync(join(place.cwd, 'built.txt'))).toBe(true);
  });

  test('and not of the next run of a conversation', async () => {
    await ground.converse(FREE, async (conversation) => {
      const one = await ground.turn(conversation, delegated('sleep 1'));
      const two = await ground.turn(conversation, [{ text: 'Two.', usage }]);
      expect(texts(one.events)).toEqual(['I report when it is done.', 'REPORT: 42.']);
      expect(one.result.usage).toMatchObject({ inputTokens: 500, outputTokens: 50 });
      expect(texts(two.events)).toEqual(['Two.']);
      expect(two.result.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    });
  });
});

describe.concurrent('a command that never ends', () => {
  const server = [inBackground('echo $$ > pid.txt; exec sleep 600'), { text: 'It serves.' }];

  test('keeps a run open for a limited time and ends with it', async () => {
    const { cwd, env } = await ground.place();
    const prompt = ground.prompt(server);
    const limited = { ...env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '200' };
    const { events, result } = await finish(
      pinnedClaude.run({ cwd, env: limited, prompt, ...FREE }),
    );
    expect(result).toMatchObject({ outcome: 'done', output: 'It serves.', exitCode: 0 });
    expect(result.signal).toBeUndefined();
    expect(warnings(events)).toEqual([
      expect.stringContaining('No longer waiting'),
      expect.stringContaining('ended with the run'),
    ]);
  });

  test('continues between the prompts of a conversation, and the next one does not wait for it', async () => {
    const { cwd, env } = await ground.place();
    const limited = { ...env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '200' };
    const conversation = await pinnedClaude.open({ cwd, env: limited, ...FREE });
    const one = await ground.turn(conversation, server);
    await appears(join(cwd, 'pid.txt'));
    const two = await ground.turn(conversation, [
      shell('kill -0 $(cat pid.txt) && touch alive.txt'),
      { text: 'Two.' },
    ]);
    await conversation.close();
    expect(warnings(one.events)).toEqual([expect.stringContaining('No longer waiting')]);
    expect(two.result.output).toBe('Two.');
    expect(existsSync(join(cwd, 'alive.txt'))).toBe(true);
  });
});

test('a report that comes after the run does not end the next prompt', async () => {
  const { cwd, env } = await ground.place();
  const limited = { ...env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '200' };
  const conversation = await pinnedClaude.open({ cwd, env: limited, ...FREE });
  const report = { text: Array.from({ length: 30 }, () => 'own '), deltaDelayMs: 50 };
  await ground.turn(conversation, [
    inBackground('until [ -e go.txt ]; do sleep 0.1; done; touch over.txt'),
    { text: 'Started.' },
    report,
  ]);
  await writeFile(join(cwd, 'go.txt'), '');
  await appears(join(cwd, 'over.txt'));
  const { result } = await ground.turn(conversation, [{ text: 'The answer.' }]);
  await conversation.close();
  expect(result.output).toBe('The answer.');
});

describe.concurrent('a stop while only background work is running', () => {
  test.for([
    ['a command', () => [inBackground('touch began.txt; sleep 600'), { text: 'Waiting.' }]],
    ['a sub-agent', () => delegated('touch began.txt; sleep 600')],
  ] as const)('ends %s and keeps the conversation', async ([, steps]) => {
    await ground.converse(FREE, async (conversation, cwd) => {
      const run = conversation.run(ground.prompt(steps()));
      const stopped = appears(join(cwd, 'began.txt')).then(async () => {
        await untilText(run);
        return run.cancel();
      });
      expect(await stopped).toMatchObject({ state: 'stopped', steps: [{ step: 'interrupt' }] });
      expect((await run.result).outcome).toBe('cancelled');
      const next = await ground.turn(conversation, [{ text: 'Next.' }]);
      expect(texts(next.events)).toEqual(['Next.']);
    });
  });
});

describe.concurrent('a limit of turns holds for the run, whatever background work starts', () => {
  const touches = [1, 2, 3, 4].map((count) => ({ ...shell(`touch main-${count}`), usage }));
  const made = (cwd: string) => readdirSync(cwd).filter((name) => name.startsWith('main-'));

  test.for([
    ['a sub-agent, live', 'live', () => delegated('sleep 1').slice(0, 1)],
    ['a sub-agent, print', 'print', () => delegated('sleep 1').slice(0, 1)],
    ['a command, live', 'live', () => [inBackground('sleep 1')]],
    ['a command, print', 'print', () => [inBackground('sleep 1')]],
  ] as const)('%s', async ([, transport, begin]) => {
    const place = await ground.place();
    const prompt = ground.prompt([...begin(), ...touches]);
    const { result } = await ground.play(place, { prompt, transport, maxTurns: 2, ...FREE });
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'max_turns' },
      stop: { state: 'stopped' },
    });
    expect(made(place.cwd)).toEqual(['main-1']);
    expect(result.usage?.inputTokens).toBeGreaterThanOrEqual(200);
  });

  test('also in a conversation, which goes on', async () => {
    await ground.converse({ ...FREE, maxTurns: 2 }, async (conversation, cwd) => {
      const one = await ground.turn(conversation, [inBackground('sleep 1'), ...touches]);
      expect(one.result.error?.code).toBe('max_turns');
      const two = await ground.turn(conversation, [{ text: 'Next.' }]);
      expect(two.result).toMatchObject({ outcome: 'done', output: 'Next.' });
      expect(made(cwd)).toEqual(['main-1']);
    });
  });
});

/** Waits for a text of the agent and reads on: leaving the loop would stop the run. */
function untilText(run: AsyncIterable<AgentEvent>): Promise<void> {
  const said = Promise.withResolvers<void>();
  const read = async () => {
    for await (const event of run) {
      if (event.type === 'message.completed' && event.parentId === undefined) said.resolve();
    }
  };
  read().catch(said.reject);
  return said.promise;
}

function texts(events: readonly AgentEvent[]): string[] {
  return all(events, 'message.completed')
    .filter(({ parentId }) => parentId === undefined)
    .map(({ text }) => text);
}

function usagesOf(events: readonly AgentEvent[]): number[] {
  return all(events, 'usage.updated').map(({ usage: { inputTokens = 0 } }) => inputTokens);
}

function warnings(events: readonly AgentEvent[]): string[] {
  return all(events, 'notice')
    .filter(({ code, level }) => code === 'background_task' && level === 'warning')
    .map(({ message }) => message);
}
