import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PendingRequest, RunInput } from '@baton/engine/definition/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, type Finished, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { type AgentWorld, agentWorld } from '../../testing/agent-world.ts';
import { droidBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

const ECHO_SERVER = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const droid = droidBackend({ binary: agentPrograms.droid.native });
let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

type Bench = {
  world: AgentWorld;
  run(steps: readonly Step[], more?: Partial<RunInput>): Promise<Finished>;
  path(name: string): string;
  has(name: string): boolean;
};

/** Sets up a world, lets a test play in it, and takes it down. */
async function withDroid(act: (bench: Bench) => Promise<void>): Promise<void> {
  const world = await agentWorld('droid', model);
  const path = (name: string) => join(world.cwd, name);
  try {
    await act({
      world,
      path,
      has: (name) => existsSync(path(name)),
      run: (steps, { prompt, env, ...more } = {}) =>
        finish(
          droid.run({
            cwd: world.cwd,
            env: { ...world.options.env, ...env },
            ...more,
            prompt: prompt ?? scripted(model, steps),
          }),
        ),
    });
  } finally {
    await world.dispose();
  }
}

/** A command under the risk that the model claims it has. */
const execute = (command: string, riskLevel = 'low') => ({
  raw: {
    name: 'Execute',
    input: { summary: 'Run', command, riskLevel, riskLevelReason: 'It is harmless.' },
  },
});
const shell = (command: string, riskLevel?: string): Step => ({
  tools: [execute(command, riskLevel)],
});
const write = (path: string): Step => ({ tools: [{ write: { path, content: 'x\n' } }] });
const DONE: Step = { text: 'Done.' };

function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

/** Denies everything and remembers what was asked. */
function denying() {
  const asked: string[] = [];
  const onRequest = ({ kind, request }: PendingRequest) => {
    if (kind !== 'permission') return { declined: true } as const;
    const { action, tool } = request;
    if (action.type === 'command') asked.push(action.command);
    else asked.push(action.type === 'file.edit' ? (action.changes[0]?.path ?? '') : tool);
    return { decision: 'deny' } as const;
  };
  return { asked, onRequest };
}

/** Settings that let everything pass. */
const FREE = {
  commandAllowlist: ['touch', 'echo', 'rm', 'ls', 'git status'],
  autonomyMode: 'auto-high',
  autonomyLevel: 'auto-high',
  sessionDefaultSettings: { autonomyMode: 'auto-high', autonomyLevel: 'high' },
};

describe.concurrent('permission modes', { timeout: 120_000 }, () => {
  test('ask: every command and every edit waits, whatever user and folder allow', () =>
    withDroid(async ({ world, run, path, has }) => {
      const home = join(world.home, '.factory/settings.json');
      put(home, { ...JSON.parse(readFileSync(home, 'utf8')), ...FREE });
      put(path('.factory/settings.json'), FREE);
      const commands = ['echo hi', 'ls', 'git status', 'pwd | head', 'touch made.txt'];
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = denying();
      const ended = await run(
        [...commands.map((each) => shell(each)), write(path('in.txt')), write(outside), DONE],
        { permissionMode: 'ask', trusted: true, onRequest },
      );
      expect(ended.result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(asked).toEqual([...commands, path('in.txt'), outside]);
      expect([has('made.txt'), has('in.txt'), existsSync(outside)]).toEqual([false, false, false]);
      const outcomes = all(ended.events, 'tool.completed').map(({ outcome }) => outcome);
      expect(new Set(outcomes)).toEqual(new Set(['denied']));
    }));

  test('auto: only edits in the workspace pass that are not protected', () =>
    withDroid(async ({ world, run, path, has }) => {
      symlinkSync(world.home, path('link'));
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = denying();
      const protectedPaths = [path('.factory/hooks.json'), path('.git/hooks/pre-commit')];
      const refused = [...protectedPaths, path('link/through.txt'), outside];
      const steps = [write(path('in.txt')), ...refused.map(write), shell('echo hi'), DONE];
      await run(steps, { permissionMode: 'auto', onRequest });
      expect(asked).toEqual([...refused, 'echo hi']);
      expect(has('in.txt')).toBe(true);
      expect(refused.filter((each) => existsSync(each))).toEqual([]);
    }));

  test('allow-all: nothing asks, and a session that was so free asks again in mode ask', () =>
    withDroid(async ({ world, run, path, has }) => {
      const outside = join(world.home, 'outside.txt');
      const { asked, onRequest } = denying();
      const steps = [shell('touch made.txt', 'high'), write(path('in.txt')), write(outside), DONE];
      const free = await run(steps, { permissionMode: 'allow-all', onRequest });
      expect(asked).toEqual([]);
      expect([has('made.txt'), has('in.txt'), existsSync(outside)]).toEqual([true, true, true]);
      const resume = free.result.nativeSessionId;
      await run([shell('touch late.txt'), DONE], { permissionMode: 'ask', resume, onRequest });
      expect(asked).toEqual(['touch late.txt']);
      expect(has('late.txt')).toBe(false);
    }));

  test('ask: one denial of three calls cancels the others, and the run says so', () =>
    withDroid(async ({ run, has }) => {
      const names = ['a', 'b', 'c'];
      const tools = names.map((name) => execute(`touch ${name}.txt`));
      const { events, result } = await run([{ tools }, DONE], {
        permissionMode: 'ask',
        onRequest: ({ kind, request }) => {
          const isDenied =
            kind === 'permission' && JSON.stringify(request.action).includes('b.txt');
          return { decision: isDenied ? 'deny' : 'allow' };
        },
      });
      expect(result.outcome).toBe('done');
      expect(names.filter((name) => has(`${name}.txt`))).toEqual([]);
      const outcomes = all(events, 'tool.completed').map(({ outcome }) => outcome);
      expect(outcomes.sort()).toEqual(['cancelled', 'cancelled', 'denied']);
      const words = all(events, 'notice').map(({ message }) => message);
      expect(words).toContainEqual(expect.stringContaining('another call of the same step'));
    }));

  test('ask: an MCP tool waits, and a sub-agent cannot be started', () =>
    withDroid(async ({ run }) => {
      const echo = { command: process.execPath, args: [ECHO_SERVER] };
      const say: Step = {
        tools: [{ mcp: { server: 'echo', tool: 'say', input: { text: 'hey' } } }],
      };
      const child = scripted(model, [shell('touch child.txt'), DONE]);
      const task: Step = { tools: [{ subagent: { prompt: child } }] };
      const asked: string[] = [];
      const ended = await run([say, task, DONE], {
        permissionMode: 'ask',
        mcpConfig: { mcpServers: { echo } },
        onRequest: ({ kind, request }) => {
          if (kind === 'permission') asked.push(request.tool);
          return { decision: 'allow' };
        },
      });
      expect(asked).toEqual(['echo___say']);
      const [said, started] = all(ended.events, 'tool.completed');
      expect(said).toMatchObject({
        outcome: 'ok',
        output: 'echo: hey',
        action: { type: 'mcp', server: 'echo', tool: 'say' },
      });
      expect(started?.outcome).not.toBe('ok');
    }));
});

describe.concurrent('print', { timeout: 120_000 }, () => {
  test('ask: a command that the model calls harmless is not run, and nothing is edited', () =>
    withDroid(async ({ run, path, has }) => {
      const steps = [shell('touch made.txt'), write(path('in.txt')), DONE];
      const ended = await run(steps, { transport: 'print', permissionMode: 'ask' });
      expect(ended.result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect([has('made.txt'), has('in.txt')]).toEqual([false, false]);
      const outcomes = all(ended.events, 'tool.completed').map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['denied', 'denied']);
      const codes = all(ended.events, 'notice').map(({ code }) => code);
      expect(codes).toContain('option_emulated');
    }));

  test('allow-all: everything is done; a resumed session counts its own tokens only', () =>
    withDroid(async ({ run, path, has }) => {
      const options = { transport: 'print', permissionMode: 'allow-all' } as const;
      const steps = [shell('touch made.txt', 'high'), write(path('in.txt')), DONE];
      const one = await run(steps, options);
      expect([has('made.txt'), has('in.txt')]).toEqual([true, true]);
      const resume = one.result.nativeSessionId;
      const two = await run([{ text: 'Again. ' }], { ...options, resume });
      expect(two.result).toMatchObject({ output: 'Again. ', nativeSessionId: resume });
      const live = await run([{ text: 'Again. ' }], { resume });
      expect(two.result.usage?.outputTokens).toBe(live.result.usage?.outputTokens);
      const copy = await run([DONE], { ...options, resume, fork: true });
      expect(copy.result.outcome).toBe('done');
      expect(copy.result.nativeSessionId).not.toBe(resume);
      const gone = await run([DONE], { ...options, resume: 'no-such-session' });
      expect(gone.result.error?.code).toBe('session_not_found');
      mkdirSync(path('inner'));
      for (const transport of ['live', 'print']) {
        const elsewhere = await run([DONE], { ...options, transport, resume, cwd: path('inner') });
        expect(elsewhere.result.error?.message).toContain('belongs to another folder');
      }
    }));

  test('takes prompts with dashes, quotes and a megabyte, and a system prompt', () =>
    withDroid(async ({ run }) => {
      const key = scripted(model, [DONE]);
      const prompt = `-- "it's" ${key}\n${'x'.repeat(1_000_000)}`;
      const systemPrompt = 'Speak like a sailor, "always".';
      const ended = await run([], { transport: 'print', prompt, systemPrompt });
      expect(ended.result.output).toBe('Done.');
      const sent = JSON.stringify(model.requests.findLast(({ body }) => isFor(body, key))?.body);
      expect(sent).toContain(JSON.stringify(prompt).slice(1, -1));
      expect(sent).toContain(JSON.stringify(systemPrompt).slice(1, -1));
    }));

  test('a hung model ends as stalled', () =>
    withDroid(async ({ run }) => {
      const timeouts = { idleMs: 3000 };
      const steps: Step[] = [{ hang: 'mid-stream' }];
      const { result } = await run(steps, { transport: 'print', timeouts });
      expect(result.error?.code).toBe('stalled');
    }));
});

describe.concurrent('a folder', { timeout: 120_000 }, () => {
  test('with settings is refused until a person trusts it: then its hooks start', () =>
    withDroid(async ({ world, run, path }) => {
      const mark = join(world.home, 'started');
      const hook = { hooks: [{ type: 'command', command: `touch '${mark}'` }] };
      put(path('.factory/settings.json'), { hooks: { SessionStart: [hook] } });
      const refused = expect.objectContaining({ code: 'trust_required' });
      for (const transport of ['live', 'print']) {
        const start = () =>
          droid.run({ ...world.options, cwd: world.cwd, prompt: 'Hi', transport });
        expect(start).toThrow(refused);
      }
      await run([DONE], { trusted: true });
      expect(existsSync(mark)).toBe(true);
    }));
});

describe.concurrent('live', { timeout: 120_000 }, () => {
  test('takes a system prompt, an image and the options that only Droid has', () =>
    withDroid(async ({ run, path }) => {
      writeFileSync(path('dot.png'), Buffer.from(PNG, 'base64'));
      const key = scripted(model, [DONE]);
      const ended = await run([], {
        prompt: key,
        systemPrompt: 'Speak like a sailor.',
        images: [{ path: 'dot.png' }],
        permissionMode: 'allow-all',
        providerOptions: { autonomy_level: 'low', reasoning_effort: 'low' },
      });
      expect(ended.result.outcome).toBe('done');
      const sent = JSON.stringify(model.requests.findLast(({ body }) => isFor(body, key))?.body);
      expect(sent).toContain('Speak like a sailor.');
      // The model of the testbed takes no images, and is told where Droid has put this one.
      expect(sent).toContain('Attached image local file paths');
    }));

  test('retries are told, and a stop in the middle of them leaves nothing behind', () =>
    withDroid(async ({ world }) => {
      const prompt = scripted(model, [{ fault: 'server_error' }]);
      const running = droid.run({ ...world.options, cwd: world.cwd, prompt });
      const { events, result } = await finish(running, (event) => {
        if (event.type === 'notice' && event.code === 'retry') void running.cancel();
      });
      expect(all(events, 'notice').map(({ code }) => code)).toContain('retry');
      expect(result).toMatchObject({ outcome: 'cancelled', stop: { state: 'stopped' } });
    }));

  test.each(['live', 'print'])('without a login the run says so: %s', (transport) =>
    withDroid(async ({ world, run }) => {
      put(join(world.home, '.factory/settings.json'), {});
      const env = { ...world.options.env, FACTORY_API_KEY: '', FACTORY_DISABLE_KEYRING: 'true' };
      const probe = await droid.probe({ cwd: world.cwd, env });
      expect(probe.problems.map(({ code }) => code)).toEqual(['auth_missing']);
      const { result } = await run([DONE], { transport, env });
      expect(result.error).toMatchObject({
        code: 'auth_missing',
        hint: expect.stringContaining('FACTORY_API_KEY'),
      });
    }),
  );

  test('a stream that breaks each time fails so that it may be retried', () =>
    withDroid(async ({ run }) => {
      const { events, result } = await run([{ drop: 'hard' }]);
      expect(result).toMatchObject({
        outcome: 'failed',
        error: { code: 'provider_error', retryable: true },
      });
      const said = all(events, 'message.completed').map(({ text }) => text);
      expect(said.length).toBeGreaterThan(1);
      expect(new Set(said).size).toBe(1);
      expect(result.output).toBe(said[0]);
    }));
});

/** True for the request that answers a prompt; Droid also asks for a title, without tools. */
function isFor(body: object, prompt: string): boolean {
  return 'tools' in body && JSON.stringify(body).includes(prompt);
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
