import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentVersion } from '../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import {
  all,
  assertNothingSurvives,
  finish,
} from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { lastRequest, withCodex } from './testing/run.ts';
import { codexWorld, pinnedCodex } from './testing/world.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
};

let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const shell = (command: string): Step => ({ tools: [{ shell: command }] });
const raw = (name: string, input: Record<string, unknown> | string): Step => ({
  tools: [{ raw: { name, input } }],
});

describe.concurrent('events', () => {
  test('a run reports version, model, session, usage and context, and nothing is unparsed', () =>
    withCodex(model, async ({ run }) => {
      const { events, result } = await run([{ text: 'Hello there.', usage: { cached: 200 } }]);
      expect(all(events, 'run.identified')).toEqual([
        expect.objectContaining({ version: agentVersion('codex'), model: 'gpt-5.5' }),
      ]);
      expect(result.usage).toMatchObject({
        inputTokens: 1200,
        cachedInputTokens: 200,
        contextTokens: 1203,
        contextWindow: 258400,
      });
      expect(all(events, 'unparsed')).toEqual([]);
    }));

  test('thoughts come before the answer and stay apart from it', () =>
    withCodex(model, async ({ run }) => {
      const { events, result } = await run([{ thinking: 'Let me see.', text: 'I see.' }]);
      const said = all(events, 'message.completed').map(({ kind, text }) => [kind, text]);
      expect(said).toEqual([
        ['thinking', 'Let me see.'],
        ['text', 'I see.'],
      ]);
      expect(result.output).toBe('I see.');
    }));

  test('a command shows its output as it comes, its exit code and no shell around it', () =>
    withCodex(model, async ({ run }) => {
      const { events } = await run([
        shell('for n in 1 2 3; do echo "it\'s $n"; sleep 0.2; done; exit 3'),
        { text: 'Done.' },
      ]);
      expect(all(events, 'tool.updated').length).toBeGreaterThan(0);
      expect(all(events, 'tool.completed')).toEqual([
        expect.objectContaining({
          outcome: 'error',
          output: "it's 1\nit's 2\nit's 3\n",
          action: expect.objectContaining({
            command: 'for n in 1 2 3; do echo "it\'s $n"; sleep 0.2; done; exit 3',
            exitCode: 3,
          }),
        }),
      ]);
    }));

  test('edits have their diffs: an addition, a change with a move, a deletion', () =>
    withCodex(model, async ({ run, world, has }) => {
      const patch = (body: string) => raw('apply_patch', `*** Begin Patch\n${body}*** End Patch\n`);
      const { events } = await run([
        { tools: [{ write: { path: 'a.txt', content: 'one\ntwo\n' } }] },
        patch('*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+three\n'),
        patch('*** Delete File: b.txt\n'),
        { text: 'Done.' },
      ]);
      const changes = all(events, 'tool.completed').flatMap(({ action }) =>
        action.type === 'file.edit' ? action.changes : [],
      );
      expect(changes).toEqual([
        { path: join(world.cwd, 'a.txt'), kind: 'add', diff: 'one\ntwo\n' },
        {
          path: join(world.cwd, 'a.txt'),
          kind: 'rename',
          newPath: join(world.cwd, 'b.txt'),
          diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
        },
        {
          path: join(world.cwd, 'b.txt'),
          kind: 'delete',
          diff: '@@ -1,2 +0,0 @@\n-one\n-three\n',
        },
      ]);
      expect(has('b.txt')).toBe(false);
    }));

  test('the plan is reported as a whole', () =>
    withCodex(model, async ({ run }) => {
      const plan = [
        { step: 'Think', status: 'in_progress' as const },
        { step: 'Act', status: 'pending' as const },
      ];
      const { events } = await run([{ tools: [{ plan }] }, { text: 'Planned.' }]);
      expect(all(events, 'plan.updated').map(({ entries }) => entries)).toEqual([
        [
          { text: 'Think', status: 'in_progress' },
          { text: 'Act', status: 'pending' },
        ],
      ]);
    }));

  test('the events of a sub-agent have its call as parent, and its tokens count', () =>
    withCodex(model, async ({ run, prompt, has }) => {
      const child = prompt([
        { text: 'I touch.', ...shell('touch child.txt') },
        { text: 'Touched.' },
      ]);
      const { events, result } = await run([
        { tools: [{ subagent: { prompt: child } }] },
        { text: 'Waiting.', delayMs: 1500 },
        { text: 'It came back.' },
      ]);
      const [spawn] = all(events, 'tool.started');
      expect(spawn).toMatchObject({
        name: 'spawn_agent',
        action: { type: 'subagent', prompt: child },
      });
      const command = all(events, 'tool.completed').find(({ action }) => action.type === 'command');
      expect(command).toMatchObject({ parentId: spawn?.callId, outcome: 'ok' });
      expect(has('child.txt')).toBe(true);
      expect(result.output).toMatch(/Waiting|It came back/);
      // Two requests of the child and at least two of its parent.
      expect(result.usage?.inputTokens).toBeGreaterThanOrEqual(1200 + 1450 + 1200 + 1450);
    }));

  test('a sub-agent that nobody waits for is named in a warning', () =>
    withCodex(model, async ({ run, prompt }) => {
      const child = prompt([{ hang: 'before-headers' }]);
      const { events, result } = await run([
        { tools: [{ subagent: { prompt: child } }] },
        // The child has begun by then.
        { text: 'Done without it.', delayMs: 1500 },
      ]);
      expect(result.outcome).toBe('done');
      const warnings = all(events, 'notice').filter(({ code }) => code === 'background_task');
      expect(warnings).toMatchObject([
        { level: 'warning', message: expect.stringContaining('A sub-agent was still working') },
      ]);
    }));

  test('a command left in the background ends well, with a notice', () =>
    withCodex(model, async ({ run }) => {
      const { events, result } = await run([
        raw('exec_command', { cmd: 'sleep 60', yield_time_ms: 250 }),
        { text: 'Going on.' },
      ]);
      expect(result.outcome).toBe('done');
      expect(all(events, 'tool.completed')[0]).toMatchObject({
        outcome: 'ok',
        action: { background: true },
      });
      expect(all(events, 'notice').map(({ code }) => code)).toContain('background_task');
    }));

  test('an empty turn is done, with a warning', () =>
    withCodex(model, async ({ run }) => {
      const { events, result } = await run([{ fault: 'refusal' }]);
      expect(result).toMatchObject({ outcome: 'done', output: '' });
      expect(all(events, 'notice').some(({ message }) => message.includes('without saying'))).toBe(
        true,
      );
    }));

  test('no goal is offered, because it would start turns after the end of the run', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([{ text: 'Hello.' }]);
      await run([], { prompt: words });
      expect(lastRequest(model, words).includes('create_goal')).toBe(false);
    }));
});

describe.concurrent('sessions', () => {
  test('two prompts share one process and one thread, each with its own usage', () =>
    withCodex(model, async ({ options, prompt }) => {
      const launched: string[] = [];
      const onLaunch = ({ file }: { file: string }) => void launched.push(file);
      const conversation = await pinnedCodex.open(options({ onLaunch }));
      const one = await conversation.run(prompt([{ text: 'One.' }])).collect();
      const two = await conversation.run(prompt([{ text: 'Two.' }])).collect();
      await conversation.close();
      expect([one.output, two.output, launched.length]).toEqual(['One.', 'Two.', 1]);
      expect(two.nativeSessionId).toBe(one.nativeSessionId);
      expect([one.usage?.inputTokens, two.usage?.inputTokens]).toEqual([1200, 1200]);
    }));

  test('a prompt can have its own schema and model, in the same thread', () =>
    withCodex(model, async ({ options, prompt }) => {
      const conversation = await pinnedCodex.open(options());
      const one = await conversation.run(prompt([{ text: 'Remember 17.' }])).collect();
      const words = prompt([{ text: '{"n": 1}' }]);
      const own = { outputSchema: SCHEMA, model: 'gpt-5.4' };
      const two = await conversation.run(words, own).collect();
      const last = prompt([{ text: 'Three.' }]);
      const three = await conversation.run(last).collect();
      await conversation.close();
      expect(two).toMatchObject({ outcome: 'done', structured: { n: 1 } });
      expect(three).toMatchObject({ outcome: 'done', output: 'Three.' });
      expect([two.nativeSessionId, three.nativeSessionId]).toEqual([
        one.nativeSessionId,
        one.nativeSessionId,
      ]);
      const seen = lastRequest(model, words);
      expect(seen).toContain('Remember 17.');
      expect(seen).toContain('"model":"gpt-5.4"');
      expect(seen).toContain('"type":"json_schema"');
      expect(lastRequest(model, last)).not.toContain('"type":"json_schema"');
      expect(lastRequest(model, last)).not.toContain('"model":"gpt-5.4"');
    }));

  test('a resumed thread has its earlier context, and counts only its own tokens', () =>
    withCodex(model, async ({ run, prompt, options }) => {
      const first = await run([{ text: 'Remember 17.' }], { systemPrompt: 'Be brief.' });
      const next = prompt([{ text: 'It was 17.' }]);
      const { result } = await finish(
        pinnedCodex.run({
          ...options({ resume: first.result.nativeSessionId }),
          prompt: next,
        }),
      );
      expect(result).toMatchObject({
        outcome: 'done',
        nativeSessionId: first.result.nativeSessionId,
      });
      expect(result.usage?.inputTokens).toBe(1200);
      const seen = lastRequest(model, next);
      expect(seen.includes('Remember 17.')).toBe(true);
      expect(seen.includes('Be brief.')).toBe(true);
    }));

  test.each([
    ['live', false],
    ['live', true],
    ['print', false],
    ['print', true],
  ])('through %s a system prompt reaches the model on resume too (fork: %s)', (transport, fork) =>
    withCodex(model, async ({ run, prompt }) => {
      const { result } = await run([{ text: 'Hello.' }], { transport });
      const words = prompt([{ text: 'Arr.' }]);
      const resume = result.nativeSessionId;
      const options = { prompt: words, transport, resume, fork, systemPrompt: 'Be a pirate.' };
      const again = await run([], options);
      expect(again.result.output).toBe('Arr.');
      const told = () => lastRequest(model, words).split('Be a pirate.').length - 1;
      expect(told()).toBe(1);
      // What the thread knows is not said again.
      await run([], { ...options, fork: false, resume: again.result.nativeSessionId });
      expect(told()).toBe(1);
    }),
  );

  test('a fork leaves the original as it is', () =>
    withCodex(model, async ({ run }) => {
      const { result } = await run([{ text: 'Original.' }]);
      const fork = await run([{ text: 'Copy.' }], { resume: result.nativeSessionId, fork: true });
      expect(fork.result).toMatchObject({ outcome: 'done', output: 'Copy.' });
      expect(fork.result.nativeSessionId).not.toBe(result.nativeSessionId);
      expect(fork.result.usage?.inputTokens).toBe(1200);
    }));

  test('a thread that another process is using is busy', () =>
    withCodex(model, async ({ options, prompt, run }) => {
      const conversation = await pinnedCodex.open(options());
      const { nativeSessionId } = await conversation.run(prompt([{ text: 'Mine.' }])).collect();
      const { result } = await run([{ text: 'Yours.' }], { resume: nativeSessionId });
      await conversation.close();
      expect(result.error?.code).toBe('session_busy');
    }));

  test('an unknown or impossible session is not found', () =>
    withCodex(model, async ({ run }) => {
      for (const resume of ['01999999-0000-7000-8000-000000000000', 'nonsense']) {
        const { result } = await run([{ text: 'Who?' }], { resume });
        expect(result.error?.code).toBe('session_not_found');
      }
    }));

  test('steering reaches the model in the running turn', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([shell('sleep 1'), { text: 'Noted.' }]);
      const { result } = await run([], {
        prompt: words,
        onEvent: (event, running) => {
          if (event.type === 'tool.started') void running.steer('Mind the gap.');
        },
      });
      expect(result.output).toBe('Noted.');
      expect(lastRequest(model, words).includes('Mind the gap.')).toBe(true);
    }));
});

describe.concurrent('input', () => {
  test('the system prompt is a developer message', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([{ text: 'Arr.' }]);
      await run([], { prompt: words, systemPrompt: 'Speak "like" a\npirate.' });
      expect(
        lastRequest(model, words).includes(JSON.stringify('Speak "like" a\npirate.').slice(1, -1)),
      ).toBe(true);
    }));

  test('images are passed as files and as data; a missing one is rejected', () =>
    withCodex(model, async ({ run, prompt, world, start }) => {
      writeFileSync(join(world.cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
      const words = prompt([{ text: 'A dot.' }]);
      const images = [{ path: 'dot.png' }, { data: PIXEL, mimeType: 'image/png' }];
      await run([], { prompt: words, images });
      const seen = lastRequest(model, words);
      expect(seen.split(`data:image/png;base64,${PIXEL}`)).toHaveLength(3);
      expect(() => start([], { images: [{ path: 'none.png' }] })).toThrow('does not exist');
    }));

  test('an output schema is passed to the model and its answer validated', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([{ text: '{"n": 1}' }]);
      const right = await run([], { prompt: words, outputSchema: SCHEMA });
      expect(right.result).toMatchObject({ outcome: 'done', structured: { n: 1 } });
      expect(lastRequest(model, words).includes('"type":"json_schema"')).toBe(true);
      const wrong = await run([{ text: '{"m": 1}' }], { outputSchema: SCHEMA });
      expect(wrong.result.error?.code).toBe('schema_mismatch');
    }));

  test('an answer that misses its schema is asked for once more', () =>
    withCodex(model, async ({ run }) => {
      const { result } = await run([{ text: 'one' }, { text: '{"n": 1}' }], {
        outputSchema: SCHEMA,
        outputSchemaRetry: true,
      });
      expect(result.structured).toEqual({ n: 1 });
    }));

  test('settings reach Codex and win over the ones Baton sets', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([{ text: 'Slowly.' }]);
      const settings = { model_reasoning_effort: 'high', features: { goals: true } };
      await run([], { prompt: words, settings });
      expect(lastRequest(model, words).includes('"effort":"high"')).toBe(true);
      expect(lastRequest(model, words).includes('create_goal')).toBe(true);
    }));

  test('the cost is estimated from the list price of the model', () =>
    withCodex(model, async ({ run }) => {
      for (const transport of ['live', 'print']) {
        const { result } = await run([{ text: 'Cheap.' }], { model: 'gpt-5.5', transport });
        const { costUsd, costEstimated } = result.usage ?? {};
        expect([transport, costEstimated]).toEqual([transport, true]);
        expect(costUsd).toBeGreaterThan(0);
      }
    }));

  test('a budget needs no prices when Codex names a model with a known one', () =>
    withCodex(model, async ({ run }) => {
      const { result } = await run([shell('true'), { text: 'Expensive.' }], { budgetUsd: 0.001 });
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'budget_exceeded' } });
    }));

  test('a budget in dollars is enforced when the prices are known', () =>
    withCodex(model, async ({ run }) => {
      const prices = { inputPerMillion: 1000, outputPerMillion: 1000 };
      const { result } = await run([shell('true'), { text: 'Expensive.' }], {
        budgetUsd: 1,
        providerOptions: { prices },
      });
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'budget_exceeded' } });
      expect(result.usage?.costUsd).toBeGreaterThan(1);
    }));
});

describe.concurrent('stopping', () => {
  test('turns are counted and the first one over the limit is interrupted', () =>
    withCodex(model, async ({ run, has }) => {
      const steps = [shell('touch one'), shell('touch two'), shell('sleep 5; touch three')];
      const { result } = await run(steps, { maxTurns: 2 });
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'max_turns' } });
      expect([has('one'), has('two'), has('three')]).toEqual([true, true, false]);
    }));

  test('an interrupt during an answer keeps the text and the process', () =>
    withCodex(model, async ({ options, prompt }) => {
      const conversation = await pinnedCodex.open(options());
      const run = conversation.run(
        prompt([{ text: ['One ', 'two ', 'three.'], deltaDelayMs: 2000 }]),
      );
      for await (const event of run) if (event.type === 'message.delta') void run.cancel();
      expect(await run.result).toMatchObject({
        outcome: 'cancelled',
        output: 'One ',
        stop: { state: 'stopped', steps: [{ step: 'interrupt' }] },
      });
      const next = await conversation.run(prompt([{ text: 'Still here.' }])).collect();
      expect(next.output).toBe('Still here.');
      await conversation.close();
    }));

  test('a stop during a long command leaves nothing, by interrupt and end of input alone', async () => {
    const tries: string[][] = [];
    // On a busy machine the interrupt may need more than its time, and is followed by a signal.
    while (tries.length < 3 && tries.at(-1)?.length !== 1) {
      await withCodex(model, async ({ start, has }) => {
        const run = start([shell('touch began.txt; sleep 60'), { text: 'Slept.' }]);
        for await (const event of run) {
          if (event.type !== 'tool.started') continue;
          while (!has('began.txt')) await new Promise((resolve) => setTimeout(resolve, 10));
          void run.cancel();
        }
        const { outcome, stop } = await run.result;
        expect(outcome).toBe('cancelled');
        expect(stop).toMatchObject({ state: 'stopped', killed: 0 });
        assertNothingSurvives(run.runId);
        tries.push(stop?.steps.map(({ step }) => step) ?? []);
      });
    }
    expect(tries.at(-1), JSON.stringify(tries)).toEqual(['interrupt']);
  });

  test('a cancel before the turn has started is deferred until it can be sent', () =>
    withCodex(model, async ({ start }) => {
      const run = start([{ text: 'Never said.', delayMs: 5000 }]);
      for await (const event of run) if (event.type === 'run.identified') void run.cancel();
      expect(await run.result).toMatchObject({ outcome: 'cancelled', output: '' });
      assertNothingSurvives(run.runId);
    }));
});

describe.concurrent('failures', () => {
  test.each([
    ['auth', 'auth_missing', '401 Unauthorized'],
    ['forbidden', 'access_denied', '403 Forbidden'],
    ['not_found_model', 'model_not_found', 'does not exist'],
    ['rate_limited', 'rate_limited', '429'],
    ['overloaded', 'overloaded', 'at capacity'],
    ['bad_request', 'request_rejected', "Invalid value: 'fake'."],
    ['server_error', 'provider_error', 'high demand'],
    ['html502', 'provider_error', '502 Bad Gateway'],
    ['quota', 'quota_exhausted', 'Quota exceeded'],
    ['context_too_long', 'context_too_long', 'context window'],
    ['max_tokens', 'output_limit', 'max_output_tokens'],
  ] as const)('%s is %s', (fault, code, words) =>
    withCodex(model, async ({ run }) => {
      const { result } = await run([{ fault }]);
      expect(result).toMatchObject({ outcome: 'failed', error: { code } });
      expect(result.error?.message).toContain(words);
    }),
  );

  test('a connection that breaks is tried again, and the broken message stays incomplete', () =>
    withCodex(
      model,
      async ({ run }) => {
        const { events, result } = await run([
          { drop: 'mid-stream', times: 1 },
          { text: 'Recovered.' },
        ]);
        expect(result).toMatchObject({ outcome: 'done', output: 'Recovered.' });
        expect(all(events, 'notice').map(({ code }) => code)).toContain('retry');
        expect(all(events, 'message.completed').map(({ incomplete }) => incomplete)).toEqual([
          true,
          undefined,
        ]);
      },
      { retries: 1 },
    ));

  test('a connection that stays broken fails the run', () =>
    withCodex(model, async ({ run }) => {
      const { result } = await run([{ drop: 'mid-stream' }]);
      expect(result.error?.code).toBe('provider_error');
    }));

  test('a missing key, a provider that is not there, and a bad value name their cause', () =>
    withCodex(model, async ({ run, world }) => {
      const keyless = await run([{ text: '?' }], { env: { FAKE_KEY: '' } });
      expect(keyless.result.error?.code).toBe('auth_missing');
      const stranger = await run([{ text: '?' }], { settings: { model_provider: 'nobody' } });
      expect(stranger.result.error?.code).toBe('config_invalid');
      const config = join(world.home, '.codex/config.toml');
      writeFileSync(config, `model = 5\n${readFileSync(config, 'utf8')}`);
      const broken = await run([{ text: '?' }]);
      expect(broken.result.outcome).toBe('failed');
    }));

  test.each(['live', 'print'])('through %s an unreachable provider ends the run', (transport) =>
    withCodex(model, async ({ run }) => {
      const provider = {
        ...{ name: 'nowhere', wire_api: 'responses', env_key: 'FAKE_KEY' },
        ...{ base_url: 'http://127.0.0.1:9/v1', request_max_retries: 0, stream_max_retries: 0 },
      };
      const settings = { model_provider: 'nowhere', model_providers: { nowhere: provider } };
      const { events, result } = await run([], { prompt: 'Hello.', settings, transport });
      expect(result).toMatchObject({
        outcome: 'failed',
        error: { code: 'network_unreachable', retryable: true },
      });
      expect(all(events, 'notice').some(({ message }) => message.includes('network'))).toBe(true);
    }),
  );

  test('a redirection to nowhere ends the run as well', async () => {
    const server = createServer((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:9/v1/responses' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await withCodex({ ...model, url: `http://127.0.0.1:${port}` }, async ({ run }) => {
      const { result } = await run([], { prompt: 'Hello.' });
      expect(result.error?.code).toBe('network_unreachable');
    });
    server.close();
  });

  test('an hour of waiting for the provider ends with the idle timeout, and is reported', () =>
    withCodex(
      model,
      async ({ run }) => {
        const { events, result } = await run(
          [{ fault: 'rate_limited', headers: { 'retry-after': '3600' } }],
          { timeouts: { idleMs: 3000 } },
        );
        expect(result).toMatchObject({ outcome: 'timed_out', error: { code: 'stalled' } });
        expect(result.error?.message).toContain('429');
        const [retry] = all(events, 'notice').filter(({ code }) => code === 'retry');
        expect(retry?.message).toContain('for a time set by the provider');
      },
      { retries: 1 },
    ));

  test('a required MCP server that does not start fails the run; another one is a notice', () =>
    withCodex(model, async ({ run }) => {
      const servers = (more: object) => ({ mcpServers: { bad: { command: 'false', ...more } } });
      const required = await run([{ text: '?' }], { mcpConfig: servers({ required: true }) });
      expect(required.result.error?.code).toBe('mcp_failed');
      const optional = await run([{ text: 'Fine.', delayMs: 500 }], { mcpConfig: servers({}) });
      expect(optional.result.outcome).toBe('done');
      expect(all(optional.events, 'notice').map(({ code }) => code)).toContain('mcp_server');
    }));
});

describe.concurrent('keys', () => {
  /** Runs a prompt against a server that only notes which key it was shown. */
  const keyFor = async (env: Record<string, string>, login?: string) => {
    const shown: unknown[] = [];
    const server = createServer().on('upgrade', ({ headers }, socket) => {
      shown.push(headers.authorization);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as { port: number };
    await withCodex(model, async ({ run, world }) => {
      const folder = join(world.home, '.codex');
      const address = `openai_base_url = "http://127.0.0.1:${port}/v1"\nmodel = "gpt-5.5"\n`;
      writeFileSync(join(folder, 'config.toml'), address);
      if (login) writeFileSync(join(folder, 'auth.json'), login);
      await run([], { prompt: 'Hello.', env, timeouts: { totalMs: 10_000 } });
      const kept = existsSync(join(folder, 'auth.json'));
      expect(kept ? readFileSync(join(folder, 'auth.json'), 'utf8') : undefined).toBe(login);
    });
    server.close();
    return shown[0];
  };
  const LOGIN = '{"OPENAI_API_KEY":"sk-login"}';

  test('CODEX_API_KEY is used for the run and leaves the login as it is', async () => {
    expect(await keyFor({ CODEX_API_KEY: 'sk-given' }, LOGIN)).toBe('Bearer sk-given');
  });

  test('OPENAI_API_KEY is used without a login, and not stored', async () => {
    expect(await keyFor({ OPENAI_API_KEY: 'sk-openai' })).toBe('Bearer sk-openai');
    expect(await keyFor({ OPENAI_API_KEY: 'sk-openai' }, LOGIN)).toBe('Bearer sk-login');
  });
});

test('the probe finds Codex and its credentials without starting it', async () => {
  const world = await codexWorld(model);
  const probe = await pinnedCodex.probe({ env: world.options.env ?? {} });
  expect(probe).toMatchObject({
    installed: true,
    credentials: 'found',
    credentialSource: 'FAKE_KEY',
    problems: [],
  });
  await world.dispose();
});
