import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PendingRequest, RunInput } from '@baton/engine/definition/backend';
import type { Action } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPrograms, agentVersion } from '../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, type Finished, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { type AgentWorld, agentWorld } from '../../testing/agent-world.ts';
import { openCodeBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

const ECHO_SERVER = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const backend = openCodeBackend({ binary: agentPrograms.opencode.native });

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const shell = (command: string): Step => ({ tools: [{ shell: command }] });
const write = (path: string): Step => ({ tools: [{ write: { path, content: 'x\n' } }] });
const DONE: Step = { text: 'Done.' };

type Bench = {
  world: AgentWorld;
  run(steps: readonly Step[], more?: Partial<RunInput>): Promise<Finished>;
  has(file: string): boolean;
  put(file: string, content: string | object): void;
};

/** Lets a test play with OpenCode in a folder and a home of their own. */
async function withOpenCode(act: (bench: Bench) => Promise<void>): Promise<void> {
  const world = await agentWorld('opencode', model);
  const { cwd, options } = world;
  try {
    await act({
      world,
      run: (steps, more) =>
        finish(backend.run({ cwd, ...options, prompt: scripted(model, steps), ...more })),
      has: (file) => existsSync(join(cwd, file)),
      put: (file, content) => {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        writeFileSync(join(cwd, file), text);
      },
    });
  } finally {
    await world.dispose();
  }
}

/** Gives the same answer to everything and remembers what was asked. */
function answering(decision: 'allow' | 'deny') {
  const asked: string[] = [];
  const onRequest = (pending: PendingRequest) => {
    if (pending.kind !== 'permission') return { declined: true } as const;
    asked.push(subjectOf(pending.request.tool, pending.request.action));
    return { decision, ...(decision === 'deny' ? { reason: 'Not today.' } : {}) };
  };
  return { asked, onRequest };
}

function subjectOf(tool: string, action: Action): string {
  if (action.type === 'command') return action.command;
  return action.type === 'file.edit' ? action.changes.map(({ path }) => path).join() : tool;
}

/** Settings with which OpenCode would do everything without asking. */
function allowEverything({ put }: Bench): void {
  const wide = { '*': 'allow', bash: 'allow', 'ba*': 'allow', edit: { '*': 'allow' } };
  put('opencode.json', {
    permission: wide,
    default_agent: 'wide',
    agent: {
      build: { permission: wide },
      general: { permission: wide },
      wide: { description: 'Wide', mode: 'primary', permission: wide },
    },
  });
  const rules = 'permission:\n  "*": allow\n  "ba*": allow\n';
  put('.opencode/agent/wild.md', `---\ndescription: Wild\nmode: subagent\n${rules}---\nBe wild.\n`);
}

describe.concurrent('permission modes', { timeout: 240_000 }, () => {
  test('ask: asks for every command and edit, also in a trusted folder that allows all', () =>
    withOpenCode(async (bench) => {
      const { run, has, world } = bench;
      allowEverything(bench);
      const { asked, onRequest } = answering('deny');
      const path = join(world.cwd, 'a.txt');
      const wild = { description: 'x', prompt: 'Be wild.', subagent_type: 'wild' };
      const steps = [
        shell('echo hi'),
        write(path),
        { tools: [{ raw: { name: 'task', input: wild } }] },
        DONE,
      ];
      const { events, result } = await run(steps, {
        permissionMode: 'ask',
        trusted: true,
        onRequest,
      });
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(asked).toEqual(['echo hi', path]);
      expect(has('a.txt')).toBe(false);
      const tools = all(events, 'tool.completed');
      expect(tools.map(({ outcome }) => outcome)).toEqual(['denied', 'denied', 'denied']);
      expect(tools[0]?.output).toContain('Not today.');
      const words = all(events, 'notice').map(({ message }) => message);
      expect(words).toContainEqual(expect.stringContaining('not started: explore, general, wild'));
    }));

  test('auto: only unprotected edits inside the workspace pass', () =>
    withOpenCode(async ({ run, has, world }) => {
      const outside = join(world.home, 'outside');
      mkdirSync(outside);
      symlinkSync(outside, join(world.cwd, 'link'));
      const { asked, onRequest } = answering('deny');
      const paths = ['link/a.txt', 'opencode.json', '.git/hooks/pre-commit'];
      const inside = paths.map((path) => join(world.cwd, path));
      const steps = [
        write(join(world.cwd, 'plain.txt')),
        ...inside.map(write),
        write(join(outside, 'b.txt')),
        shell('echo hi'),
        DONE,
      ];
      const { result } = await run(steps, { permissionMode: 'auto', onRequest });
      expect(result.outcome).toBe('done');
      expect(has('plain.txt')).toBe(true);
      expect(asked).toEqual([...inside, join(outside, 'b.txt'), 'echo hi']);
      expect([...inside, join(outside, 'b.txt')].filter((path) => existsSync(path))).toEqual([]);
    }));

  test('allow-all: nothing is asked, also outside the workspace', () =>
    withOpenCode(async ({ run, has, world }) => {
      const outside = join(world.home, 'b.txt');
      const steps = [shell('echo hi > a.txt'), write(outside), DONE];
      const { events, result } = await run(steps, { permissionMode: 'allow-all' });
      expect(result.outcome).toBe('done');
      expect(all(events, 'permission.requested')).toEqual([]);
      expect([has('a.txt'), existsSync(outside)]).toEqual([true, true]);
    }));

  test('a sub-agent asks, and what it does stands under its call', () =>
    withOpenCode(async ({ run, has }) => {
      const { asked, onRequest } = answering('allow');
      const prompt = scripted(model, [{ text: 'I run.', ...shell('touch s.txt') }, DONE]);
      const steps = [{ tools: [{ subagent: { prompt } }] }, { text: 'All done.' }];
      const { events, result } = await run(steps, { permissionMode: 'ask', onRequest });
      expect(result).toMatchObject({ outcome: 'done', output: 'All done.' });
      expect(asked).toEqual(['touch s.txt']);
      expect(has('s.txt')).toBe(true);
      const call = all(events, 'tool.started').find(({ action }) => action.type === 'subagent');
      const own = events.filter(({ parentId }) => parentId && parentId === call?.callId);
      expect(all(own, 'message.completed').map(({ text }) => text)).toEqual(['I run.', 'Done.']);
      expect(all(own, 'permission.requested')).toHaveLength(1);
      expect(all(own, 'tool.completed')).toMatchObject([{ outcome: 'ok' }]);
    }));

  test('one denial of three calls cancels those that OpenCode does not run either', () =>
    withOpenCode(async ({ run, has }) => {
      const names = ['a', 'b', 'c'];
      const tools = names.map((name) => ({ shell: `touch ${name}.txt` }));
      const { events, result } = await run([{ tools }, DONE], {
        permissionMode: 'ask',
        onRequest: ({ kind, request }) => {
          if (kind !== 'permission') return { declined: true };
          const isDenied =
            request.action.type === 'command' && /b\.txt/.test(request.action.command);
          return { decision: isDenied ? 'deny' : 'allow' };
        },
      });
      expect(result.outcome).toBe('done');
      const outcomes = all(events, 'tool.completed').map(({ action, outcome }) => [
        action?.type === 'command' ? action.command : undefined,
        outcome,
      ]);
      const expected = names.map((name) => {
        const other = has(`${name}.txt`) ? 'ok' : 'cancelled';
        return [`touch ${name}.txt`, name === 'b' ? 'denied' : other];
      });
      expect(outcomes.sort()).toEqual(expected);
      const words = all(events, 'notice').map(({ message }) => message);
      expect(words).not.toContainEqual(expect.stringContaining('not found'));
    }));

  test('tools of an MCP server that the run was given ask', () =>
    withOpenCode(async ({ run }) => {
      const { asked, onRequest } = answering('allow');
      const echo = { command: process.execPath, args: [ECHO_SERVER] };
      const say = { mcp: { server: 'echo', tool: 'say', input: { text: 'Hello MCP.' } } };
      const { events, result } = await run([{ tools: [say] }, DONE], {
        permissionMode: 'ask',
        mcpConfig: { mcpServers: { echo } },
        onRequest,
      });
      expect(result.outcome).toBe('done');
      expect(asked).toEqual(['echo_say']);
      expect(all(events, 'tool.completed')[0]?.output).toContain('Hello MCP.');
      const action = { type: 'mcp', server: 'echo', tool: 'say' };
      expect(all(events, 'permission.requested')).toMatchObject([{ action }]);
      expect(all(events, 'tool.completed')).toMatchObject([{ action }]);
    }));
});

describe.concurrent('events', { timeout: 240_000 }, () => {
  test('a run tells model, version, usage, cost, plan and exit codes', () =>
    withOpenCode(async ({ run }) => {
      const plan = [{ step: 'First', status: 'in_progress' as const }];
      const { events, result } = await run(
        [{ thinking: 'Hm.', ...shell('echo oops >&2; exit 3') }, { tools: [{ plan }] }, DONE],
        { permissionMode: 'allow-all', model: 'fake/fake-model' },
      );
      expect(all(events, 'run.identified').at(-1)).toMatchObject({
        nativeSessionId: result.nativeSessionId,
        model: 'fake/fake-model',
        version: agentVersion('opencode'),
      });
      expect(all(events, 'tool.completed')[0]).toMatchObject({
        outcome: 'error',
        action: { type: 'command', exitCode: 3 },
      });
      expect(all(events, 'plan.updated').at(-1)?.entries).toEqual([
        { text: 'First', status: 'in_progress' },
      ]);
      // Three requests of 1200 tokens and more; the one for the title is not the run's.
      expect(result.usage?.inputTokens).toBeGreaterThan(3600);
      expect(result.usage?.costUsd).toBeGreaterThan(0);
      expect(result.output).toBe('Done.');
      expect(all(events, 'unparsed')).toEqual([]);
    }));

  test('a retry is a notice, and the run goes on', () =>
    withOpenCode(async ({ run }) => {
      // The first request comes with one for the title, which may meet the fault in its place.
      const steps = [shell('true'), { fault: 'overloaded', times: 1 } as const, DONE];
      const { events, result } = await run(steps, { permissionMode: 'allow-all' });
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.' });
      const retries = all(events, 'notice').filter(({ code }) => code === 'retry');
      expect(retries).toMatchObject([{ data: { attempt: 1 } }]);
    }));

  test('a configuration that cannot be read is told as such', () =>
    withOpenCode(async ({ run, world }) => {
      writeFileSync(join(world.home, '.config/opencode/opencode.json'), '{ broken');
      const { result } = await run([DONE]);
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'config_invalid' } });
    }));

  test('a model that does not exist is told as such', () =>
    withOpenCode(async ({ run }) => {
      const { result } = await run([DONE], { model: 'fake/no-such-model' });
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_not_found' } });
    }));
});

describe.concurrent('print', { timeout: 240_000 }, () => {
  test('answers, with thinking, usage and cost', () =>
    withOpenCode(async ({ run }) => {
      const { events, result } = await run([{ thinking: 'Hm.', ...shell('echo hi') }, DONE], {
        transport: 'print',
        permissionMode: 'allow-all',
      });
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(result.usage?.costUsd).toBeGreaterThan(0);
      const said = all(events, 'message.completed').map(({ kind, text }) => [kind, text]);
      expect(said).toEqual([
        ['thinking', 'Hm.'],
        ['text', 'Done.'],
      ]);
      expect(all(events, 'tool.completed')).toMatchObject([{ outcome: 'ok', output: 'hi\n' }]);
    }));

  test('ask denies what it would ask for, also in a trusted folder that allows all', () =>
    withOpenCode(async (bench) => {
      const { run, has } = bench;
      allowEverything(bench);
      const { events, result } = await run([shell('touch a.txt'), DONE], {
        transport: 'print',
        permissionMode: 'ask',
        trusted: true,
      });
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(has('a.txt')).toBe(false);
      expect(all(events, 'tool.completed')).toMatchObject([{ outcome: 'denied' }]);
      const codes = all(events, 'notice').map(({ code }) => code);
      expect(codes).toContain('option_emulated');
    }));

  test('resumes and forks a session, and knows when there is none', () =>
    withOpenCode(async ({ run }) => {
      const print = { transport: 'print', permissionMode: 'allow-all' } as const;
      const { result } = await run([{ text: 'One.' }], print);
      const resume = result.nativeSessionId;
      const again = await run([{ text: 'Two.' }], { ...print, resume });
      expect(again.result).toMatchObject({ output: 'Two.', nativeSessionId: resume });
      const copy = await run([{ text: 'Three.' }], { ...print, resume, fork: true });
      expect(copy.result).toMatchObject({ outcome: 'done', output: 'Three.' });
      expect(copy.result.nativeSessionId).not.toBe(resume);
      const none = await run([DONE], { ...print, resume: 'ses_none' });
      expect(none.result.error?.code).toBe('session_not_found');
    }));
});
