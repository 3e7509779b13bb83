import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PendingRequest } from '@baton/engine/definition/backend';
import type { PermissionAnswer } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { lastRequest, withCodex } from './testing/run.ts';

const ECHO_SERVER = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const ECHO = { mcpServers: { echo: { command: process.execPath, args: [ECHO_SERVER] } } };

let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const shell = (command: string): Step => ({ tools: [{ shell: command }] });
const write = (path: string): Step => ({ tools: [{ write: { path, content: 'x\n' } }] });
const say = (text: string): Step => ({
  tools: [{ mcp: { server: 'echo', tool: 'say', input: { text } } }],
});

/** Answers everything in the same way and remembers what was asked. */
function answering(answer: PermissionAnswer) {
  const asked: string[] = [];
  const onRequest = (pending: PendingRequest): PermissionAnswer => {
    if (pending.kind === 'permission') asked.push(subjectOf(pending.request.action));
    return answer;
  };
  return { asked, onRequest };
}

function subjectOf(action: object): string {
  if ('command' in action) return String(action.command);
  return 'tool' in action ? String(action.tool) : 'edit';
}

describe.concurrent('answers', () => {
  test('allowed once asks again; the allowed action has its full effect', () =>
    withCodex(model, async ({ run, has }) => {
      const { asked, onRequest } = answering({ decision: 'allow' });
      // In a sandbox the first half would fail and nobody would see it.
      const command = 'touch a.txt; ls';
      const steps = [shell(command), shell(command), write('b.txt'), { text: 'Done.' }];
      const { result } = await run(steps, { permissionMode: 'ask', onRequest });
      expect(result.outcome).toBe('done');
      expect(asked).toEqual([command, command, 'edit']);
      expect([has('a.txt'), has('b.txt')]).toEqual([true, true]);
    }));

  test('allowed for the session is not asked again', () =>
    withCodex(model, async ({ run }) => {
      const { asked, onRequest } = answering({ decision: 'allow', scope: 'session' });
      const steps = [shell('touch a'), shell('touch a'), write('b'), write('b'), { text: 'Done.' }];
      await run(steps, { permissionMode: 'ask', onRequest });
      expect(asked).toEqual(['touch a', 'edit']);
    }));

  test('allowed always is written into the rules of the user', () =>
    withCodex(model, async ({ run, world }) => {
      const { asked, onRequest } = answering({ decision: 'allow', scope: 'always' });
      const options = { permissionMode: 'ask', onRequest } as const;
      const { events } = await run([shell('touch a'), { text: 'Done.' }], options);
      expect(all(events, 'notice').map(({ code }) => code)).toContain('config_written');
      await run([shell('touch a'), { text: 'Done.' }], options);
      expect(asked).toEqual(['touch a']);
      const rules = join(world.home, '.codex/rules/default.rules');
      expect(readFileSync(rules, 'utf8')).toContain('prefix_rule(pattern=["touch", "a"]');
    }));

  test('a denied action does not run, the tools are denied, and the model gets the reason', () =>
    withCodex(model, async ({ run, prompt, has }) => {
      const { onRequest } = answering({ decision: 'deny', reason: 'Not on a Sunday.' });
      const words = prompt([shell('touch a.txt'), write('b.txt'), { text: 'I see.' }]);
      const { events, result } = await run([], { prompt: words, permissionMode: 'ask', onRequest });
      expect(result).toMatchObject({ outcome: 'done', output: 'I see.' });
      expect(all(events, 'tool.completed').map(({ outcome }) => outcome)).toEqual([
        'denied',
        'denied',
      ]);
      expect([has('a.txt'), has('b.txt')]).toEqual([false, false]);
      expect(lastRequest(model, words).includes('Denied: Not on a Sunday.')).toBe(true);
    }));

  test('a refusal with stop ends the run', () =>
    withCodex(model, async ({ run, has }) => {
      const { onRequest } = answering({ decision: 'deny', stop: true });
      const steps = [shell('touch a.txt'), { text: 'Never said.' }];
      const { events, result } = await run(steps, { permissionMode: 'ask', onRequest });
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'permission_denied' } });
      expect(all(events, 'tool.completed')[0]?.outcome).toBe('denied');
      expect(has('a.txt')).toBe(false);
    }));

  test('a stop while a person thinks voids the request', () =>
    withCodex(model, async ({ run, has }) => {
      const { events, result } = await run([shell('touch a.txt')], {
        permissionMode: 'ask',
        onEvent: (event, running) => {
          if (event.type === 'permission.requested') void running.cancel();
        },
      });
      expect(result.outcome).toBe('cancelled');
      expect(all(events, 'permission.resolved')).toEqual([
        expect.objectContaining({ decision: 'deny', by: 'stop' }),
      ]);
      expect(has('a.txt')).toBe(false);
    }));
});

describe.concurrent('MCP tools', () => {
  test('each is asked for with its input, and belongs to its call', () =>
    withCodex(model, async ({ run }) => {
      const { asked, onRequest } = answering({ decision: 'allow' });
      const { events } = await run([say('one'), say('two'), { text: 'Done.' }], {
        permissionMode: 'ask',
        mcpConfig: ECHO,
        onRequest,
      });
      expect(asked).toEqual(['say', 'say']);
      const calls = all(events, 'tool.completed');
      expect(calls.map(({ output }) => output)).toEqual(['echo: one', 'echo: two']);
      expect(all(events, 'permission.requested')).toEqual(
        calls.map(({ callId, name }, index) =>
          expect.objectContaining({
            callId,
            tool: name,
            input: { text: ['one', 'two'][index] },
            scopes: ['once', 'session'],
          }),
        ),
      );
    }));

  test('one that says it only reads is asked for too, and for the session only once', () =>
    withCodex(model, async ({ run, world }) => {
      const server = join(world.cwd, 'reader.mjs');
      const source = readFileSync(ECHO_SERVER, 'utf8');
      const hint = "name: 'say', annotations: { readOnlyHint: true },";
      writeFileSync(server, source.replace("name: 'say',", hint));
      const { asked, onRequest } = answering({ decision: 'allow', scope: 'session' });
      const echo = { command: process.execPath, args: [server] };
      await run([say('one'), say('two'), { text: 'Done.' }], {
        permissionMode: 'ask',
        mcpConfig: { mcpServers: { echo } },
        onRequest,
      });
      expect(asked).toEqual(['say']);
    }));

  test('a refused one is denied, and with stop the run ends', () =>
    withCodex(model, async ({ run }) => {
      const options = { permissionMode: 'ask', mcpConfig: ECHO } as const;
      const no = answering({ decision: 'deny', reason: 'No.' });
      const refused = await run([say('hi'), { text: 'I see.' }], {
        ...options,
        onRequest: no.onRequest,
      });
      expect(refused.result.output).toBe('I see.');
      expect(all(refused.events, 'tool.completed')[0]?.outcome).toBe('denied');
      const never = answering({ decision: 'deny', stop: true });
      const stopped = await run([say('hi'), { text: 'Never said.' }], {
        ...options,
        onRequest: never.onRequest,
      });
      expect(stopped.result).toMatchObject({ outcome: 'failed', output: '' });
    }));

  test('variables of a server reach it', () =>
    withCodex(model, async ({ run, world }) => {
      const server = join(world.cwd, 'env.mjs');
      const source = readFileSync(ECHO_SERVER, 'utf8');
      writeFileSync(server, source.replace('`echo: ', '`$' + '{process.env.SECRET} '));
      const env = { SECRET: "it's secret" };
      const echo = { command: process.execPath, args: [server], env };
      const launched: string[] = [];
      const { events } = await run([say('hi'), { text: 'Done.' }], {
        mcpConfig: { mcpServers: { echo } },
        onLaunch: ({ args }) => void launched.push(...args),
      });
      expect(all(events, 'tool.completed')[0]?.output).toBe("it's secret hi");
      expect(launched.join(' ')).not.toContain('secret');
    }));
});

describe.concurrent('questions', () => {
  const ask: Step = { tools: [{ question: { question: 'Which?', options: ['A', 'B'] } }] };

  test('reach the person, and the answer the model', () =>
    withCodex(model, async ({ run, prompt }) => {
      const words = prompt([ask, { text: 'B it is.' }]);
      const { events, result } = await run([], {
        prompt: words,
        onEvent: (event, running) => {
          if (event.type !== 'question.requested') return;
          const id = event.questions[0]?.id ?? '';
          void running.answer(event.requestId, { answers: { [id]: ['B'] } });
        },
      });
      expect(result.output).toBe('B it is.');
      expect(all(events, 'question.requested')[0]?.questions[0]).toMatchObject({
        question: 'Which?',
        options: [{ label: 'A' }, { label: 'B' }],
      });
      expect(lastRequest(model, words)).toMatch(/choice.{4,8}answers.{3,6}\[.{2,4}B/);
    }));

  test('are declined with no one to ask, and the agent continues', () =>
    withCodex(model, async ({ start }) => {
      const result = await start([ask, { text: 'Then A.' }]).collect();
      expect(result).toMatchObject({ outcome: 'done', output: 'Then A.' });
    }));
});

describe.concurrent('modes', () => {
  const steps = (outside: string): Step[] => [
    shell('ls'),
    shell('touch made.txt'),
    write('inside.txt'),
    write(outside),
    { text: 'Tried.' },
  ];

  test('ask asks for every command and every edit', () =>
    withCodex(model, async ({ run, world, has }) => {
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = answering({ decision: 'deny' });
      await run(steps(outside), { permissionMode: 'ask', onRequest });
      expect(asked).toEqual(['ls', 'touch made.txt', 'edit', 'edit']);
      expect([has('made.txt'), has('inside.txt'), existsSync(outside)]).toEqual([
        false,
        false,
        false,
      ]);
    }));

  test('auto makes edits in the workspace and asks for the rest', () =>
    withCodex(model, async ({ run, world, has }) => {
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = answering({ decision: 'deny' });
      await run(steps(outside), { permissionMode: 'auto', onRequest });
      expect(asked).toEqual(['ls', 'touch made.txt', 'edit']);
      expect([has('made.txt'), has('inside.txt'), existsSync(outside)]).toEqual([
        false,
        true,
        false,
      ]);
    }));

  test('allow-all asks for nothing and does everything', () =>
    withCodex(model, async ({ run, world, has }) => {
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = answering({ decision: 'deny' });
      await run(steps(outside), { permissionMode: 'allow-all', onRequest });
      expect(asked).toEqual([]);
      expect([has('made.txt'), has('inside.txt'), existsSync(outside)]).toEqual([true, true, true]);
    }));

  test('nothing can be typed into a command that was allowed', () =>
    withCodex(model, async ({ run, prompt }) => {
      const { onRequest } = answering({ decision: 'allow' });
      const input = { cmd: 'cat', tty: true, yield_time_ms: 250 };
      const words = prompt([
        { tools: [{ raw: { name: 'exec_command', input } }] },
        { text: 'No.' },
      ]);
      await run([], { prompt: words, permissionMode: 'ask', onRequest });
      expect(lastRequest(model, words).includes('TTY execution is disabled')).toBe(true);
    }));

  test('a thread that had full access asks again when it is resumed in mode ask', () =>
    withCodex(model, async ({ run, has }) => {
      const before = await run([shell('true'), { text: 'Free.' }]);
      const { asked, onRequest } = answering({ decision: 'deny' });
      await run([shell('touch late.txt'), { text: 'Not free.' }], {
        resume: before.result.nativeSessionId,
        permissionMode: 'ask',
        onRequest,
      });
      expect(asked).toEqual(['touch late.txt']);
      expect(has('late.txt')).toBe(false);
    }));

  test('what a sub-agent does is asked for too', () =>
    withCodex(model, async ({ run, prompt, has }) => {
      const child = prompt([shell('touch child.txt'), { text: 'Tried.' }]);
      const { asked, onRequest } = answering({ decision: 'deny' });
      const { events } = await run(
        [{ tools: [{ subagent: { prompt: child } }] }, { text: 'Waiting.', delayMs: 1500 }],
        { permissionMode: 'ask', onRequest },
      );
      expect(asked).toEqual(['touch child.txt']);
      expect(has('child.txt')).toBe(false);
      expect(all(events, 'permission.requested')[0]?.parentId).toBe(
        all(events, 'tool.started')[0]?.callId,
      );
    }));
});

describe.concurrent('the config.toml of the user', () => {
  test.each([
    ['live', 'ask'],
    ['live', 'auto'],
    ['live', 'allow-all'],
    ['print', 'ask'],
    ['print', 'auto'],
    ['print', 'allow-all'],
  ] as const)('is not changed by %s in mode %s', (transport, permissionMode) =>
    withCodex(
      model,
      async ({ run, world }) => {
        const before = world.config();
        const onRequest = () => ({ decision: 'allow' }) as const;
        const options = { transport, permissionMode, onRequest };
        const { result } = await run([shell('touch a'), { text: 'Done.' }], options);
        expect(result.outcome).toBe('done');
        expect(world.config()).toBe(before);
      },
      { git: true },
    ),
  );

  test('keeps what it stores about the folder', () =>
    withCodex(
      model,
      async ({ run, world }) => {
        const path = join(world.home, '.codex/config.toml');
        const trust = `[projects."${world.cwd}"]\ntrust_level = "trusted"\n`;
        writeFileSync(path, world.config() + trust);
        const before = world.config();
        const launched: string[] = [];
        const onLaunch = ({ args }: { args: readonly string[] }) => void launched.push(...args);
        await run([{ text: 'Done.' }], { transport: 'print', onLaunch });
        expect(launched.join(' ')).not.toContain('trust_level');
        expect(world.config()).toBe(before);
      },
      { git: true },
    ));
});
