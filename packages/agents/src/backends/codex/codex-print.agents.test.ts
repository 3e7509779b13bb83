import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunInput } from '@baton/engine/definition/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, assertNothingSurvives } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { lastRequest, withCodex } from './testing/run.ts';
import { pinnedCodex } from './testing/world.ts';

const ECHO_SERVER = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const transport = 'print';
const shell = (command: string): Step => ({ tools: [{ shell: command }] });
const write = (path: string): Step => ({ tools: [{ write: { path, content: 'x\n' } }] });
const print = (more: Partial<RunInput> = {}): Partial<RunInput> => ({ transport, ...more });

/** Everything a character of a text can do to a command line or to TOML. */
const NASTY = 'It\'s "quoted" \\ $HOME `x` \t\u007f\u2028 日本 👩‍🚀\nnext = 1 # no\n[table]';

describe.concurrent('codex exec', () => {
  test('reports thinking, messages, tools and usage, in a folder without git', () =>
    withCodex(model, async ({ run, has }) => {
      const steps = [
        { thinking: 'Hm.', text: 'Now.', ...shell('echo hi') },
        write('a.txt'),
        { text: 'Done.' },
      ];
      const { events, result } = await run(steps, print());
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.', exitCode: 0 });
      expect(all(events, 'message.completed').map(({ text }) => text)).toEqual([
        'Hm.',
        'Now.',
        'Done.',
      ]);
      expect(all(events, 'tool.completed')).toEqual([
        expect.objectContaining({
          outcome: 'ok',
          output: 'hi\n',
          action: { type: 'command', command: 'echo hi', cwd: undefined, exitCode: 0 },
        }),
        expect.objectContaining({ outcome: 'ok', name: 'file_change' }),
      ]);
      expect(result.usage?.inputTokens).toBe(1200 + 1450 + 1700);
      expect(all(events, 'unparsed')).toEqual([]);
      expect(has('a.txt')).toBe(true);
    }));

  test('counts only what a resumed and a forked run consumed', () =>
    withCodex(model, async ({ run, options, prompt }) => {
      const conversation = await pinnedCodex.open(options(print()));
      const one = await conversation.run(prompt([shell('true'), { text: 'One.' }])).collect();
      const two = await conversation.run(prompt([{ text: 'Two.' }])).collect();
      await conversation.close();
      expect(two.nativeSessionId).toBe(one.nativeSessionId);
      expect([one.usage?.inputTokens, two.usage?.inputTokens]).toEqual([1200 + 1450, 1200]);
      const resume = one.nativeSessionId;
      const fork = await run([{ text: 'Copy.' }], print({ resume, fork: true }));
      expect(fork.result.nativeSessionId).not.toBe(resume);
      expect(fork.result.usage?.inputTokens).toBe(1200);
    }));

  test.each(['- a dash', '--help', 'help', 'resume', `${'long '.repeat(30_000)}`])(
    'accepts the prompt %.10s',
    (words) =>
      withCodex(model, async ({ run }) => {
        const { result } = await run([], print({ prompt: words }));
        expect(result.outcome).toBe('done');
        expect(JSON.stringify(model.requests.map(({ body }) => body.input))).toContain(
          JSON.stringify(words.trim()).slice(0, -1),
        );
      }),
  );

  test('accepts a system prompt with any characters, and one too large for an argument', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([{ text: 'Yes.' }]);
      await run([], print({ prompt: words, systemPrompt: NASTY }));
      const said = JSON.stringify(NASTY);
      expect(lastRequest(model, words).includes(said)).toBe(true);
      const systemPrompt = `${'long '.repeat(30_000)}END`;
      await run([], print({ prompt: words, systemPrompt }));
      expect(lastRequest(model, words).includes('long END')).toBe(true);
    }));

  test('accepts images, an output schema and a model, also for a resumed thread', () =>
    withCodex(model, async ({ run, prompt, world }) => {
      writeFileSync(join(world.cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
      const outputSchema = {
        type: 'object',
        properties: { n: { type: 'number' } },
        required: ['n'],
        additionalProperties: false,
      };
      const options = { outputSchema, images: [{ path: 'dot.png' }], model: 'gpt-5.4' };
      const { result } = await run([{ text: '{"n": 1}' }], print(options));
      expect(result.structured).toEqual({ n: 1 });
      const words = prompt([{ text: '{"n": 2}' }]);
      const again = await run(
        [],
        print({ ...options, prompt: words, resume: result.nativeSessionId }),
      );
      expect(again.result.structured).toEqual({ n: 2 });
      const seen = lastRequest(model, words);
      expect(seen.includes('"model":"gpt-5.4"')).toBe(true);
      expect(seen.split(PIXEL)).toHaveLength(3);
    }));

  test('passes variables to MCP servers without exposing them', () =>
    withCodex(model, async ({ run, world }) => {
      const server = join(world.cwd, 'env.mjs');
      const source = readFileSync(ECHO_SERVER, 'utf8');
      writeFileSync(server, source.replace('`echo: ', '`$' + '{process.env.SECRET} '));
      const env = { SECRET: "it's $HOME `secret`" };
      const echo = { command: process.execPath, args: [server], env };
      const launched: string[] = [];
      const call = { mcp: { server: 'echo', tool: 'say', input: { text: 'hi' } } };
      const { events } = await run(
        [{ tools: [call] }, { text: 'Done.' }],
        print({
          mcpConfig: { mcpServers: { echo } },
          onLaunch: ({ args }) => void launched.push(...args),
        }),
      );
      expect(all(events, 'tool.completed')[0]?.output).toBe("it's $HOME `secret` hi");
      expect(launched.join(' ')).not.toContain('secret');
    }));

  test('passes headers to remote MCP servers without exposing them', () =>
    withCodex(model, async ({ run }) => {
      const seen: unknown[] = [];
      const server = createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(404).end();
      }).listen(0);
      const { port } = server.address() as { port: number };
      const headers = { Authorization: 'Bearer secret' };
      const launched: string[] = [];
      const { events } = await run(
        [shell('env | grep BATON_MCP'), { text: 'Done.' }],
        print({
          mcpConfig: { mcpServers: { net: { url: `http://127.0.0.1:${port}/mcp`, headers } } },
          onLaunch: ({ args }) => void launched.push(...args),
        }),
      );
      server.close();
      expect(seen[0]).toBe('Bearer secret');
      expect(launched.join(' ')).not.toContain('secret');
      expect(all(events, 'tool.completed')[0]?.output).toBe('BATON_MCP_HEADER_0_0=\n');
    }));

  test('ask is a read-only sandbox and auto one that can write in the workspace, and both say so', () =>
    withCodex(model, async ({ run, has }) => {
      const steps = (name: string) => [
        shell(`touch ${name}`),
        write(`${name}.txt`),
        { text: 'Hm.' },
      ];
      const ask = await run(steps('ask'), print({ permissionMode: 'ask' }));
      expect([has('ask'), has('ask.txt')]).toEqual([false, false]);
      const auto = await run(steps('auto'), print({ permissionMode: 'auto' }));
      expect([has('auto'), has('auto.txt')]).toEqual([true, true]);
      for (const { events } of [ask, auto]) {
        expect(all(events, 'notice').map(({ code }) => code)).toContain('option_emulated');
      }
    }));

  test('a stop during a long command leaves nothing', () =>
    withCodex(model, async ({ start, has }) => {
      const run = start([shell('touch began.txt; sleep 60'), { text: 'Slept.' }], print());
      for await (const event of run) {
        if (event.type !== 'tool.started') continue;
        while (!has('began.txt')) await new Promise((resolve) => setTimeout(resolve, 10));
        void run.cancel();
      }
      const { outcome, stop } = await run.result;
      expect(outcome).toBe('cancelled');
      expect(stop).toMatchObject({ state: 'stopped', steps: [{ step: 'SIGINT' }] });
      assertNothingSurvives(run.runId);
    }));

  test('failures have their codes', () =>
    withCodex(model, async ({ run, world }) => {
      const codeOf = async (steps: Step[], more: Partial<RunInput> = {}) =>
        (await run(steps, print(more))).result.error?.code;
      expect(await codeOf([{ fault: 'auth' }])).toBe('auth_missing');
      expect(await codeOf([{ fault: 'rate_limited' }])).toBe('rate_limited');
      expect(await codeOf([{ fault: 'overloaded' }])).toBe('overloaded');
      expect(await codeOf([{ fault: 'bad_request' }])).toBe('request_rejected');
      const unknown = { resume: '01999999-0000-7000-8000-000000000000' };
      expect(await codeOf([{ text: '?' }], unknown)).toBe('session_not_found');
      expect(await codeOf([{ text: '?' }], { rawArgs: ['--no-such-flag'] })).toBe('usage');
      const nowhere = { env: { CODEX_HOME: join(world.cwd, 'nowhere') } };
      expect(await codeOf([{ text: '?' }], nowhere)).toBe('config_invalid');
    }));
});
