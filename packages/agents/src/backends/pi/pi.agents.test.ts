import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunInput } from '@baton/engine/definition/backend';
import type { McpTaskPacket } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { runnerBackend } from '../../../../contracts/src/runner-backend.ts';
import { type AgentWorld, agentWorld } from '../../testing/agent-world.ts';
import { piBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const pi = piBackend({ binary: agentPrograms.pi.native });
const MODEL = 'fake/fake-model';

async function inWorld<Result>(act: (world: AgentWorld) => Promise<Result>): Promise<Result> {
  const world = await agentWorld('pi', model);
  try {
    return await act(world);
  } finally {
    await world.dispose();
  }
}

/** Runs a prompt in a world and gives what the model was asked, too. */
async function run(world: AgentWorld, steps: readonly Step[], more: Partial<RunInput> = {}) {
  const before = model.requests.length;
  const { cwd, options } = world;
  const prompt = scripted(model, steps);
  const finished = await finish(pi.run({ model: MODEL, ...options, ...more, cwd, prompt }));
  return { ...finished, requests: model.requests.slice(before).map(({ body }) => body) };
}

/** Executes a task as a runner does. */
function execute(
  world: AgentWorld,
  execution: NonNullable<McpTaskPacket['execution']>,
  steps: readonly Step[],
) {
  const { cwd, options } = world;
  const prompt = scripted(model, steps);
  return runnerBackend(pi, { defaults: { cwd, ...options } }).execute({
    taskId: 't1',
    taskType: 'chat',
    packet: { prompt: { rendered: prompt }, execution },
    prompt,
    startedAt: Date.now(),
    abortSignal: new AbortController().signal,
  });
}

describe('a task of a runner', { timeout: 60_000 }, () => {
  test('is one shot without tools and without thinking, with its tokens and cost', () =>
    inWorld(async (world) => {
      const before = model.requests.length;
      const usage = { input: 100, cached: 10, output: 20 };
      const result = await execute(world, { model: MODEL }, [{ text: 'Hello there.', usage }]);
      expect(result).toMatchObject({ status: 'done', output: 'Hello there.', tokensUsed: 120 });
      // 90 tokens at $1, 10 from the cache at $0.1 and 20 written at $2 per million.
      expect(result.costUsd).toBeCloseTo(0.000131, 9);
      const [request, ...others] = model.requests.slice(before);
      expect(others).toEqual([]);
      expect(request?.body).toMatchObject({ model: 'fake-model' });
      expect(request?.body).not.toHaveProperty('tools');
      expect(JSON.stringify(request?.body)).not.toMatch(/"reasoning_effort":"(?!none)/);
    }));

  test.each([
    ['{"m":1}', 'done'],
    ['{"m":"x"}', 'failed'],
  ])('checks the answer %s against its schema: %s', (text, status) =>
    inWorld(async (world) => {
      const schema = { type: 'object', properties: { m: { type: 'number' } }, required: ['m'] };
      const execution = { model: MODEL, outputSchemaJson: JSON.stringify(schema) };
      const result = await execute(world, execution, [{ text }, { text }, { text }]);
      expect(result.status).toBe(status);
    }),
  );

  test('fails when it takes longer than it may', () =>
    inWorld(async (world) => {
      const steps: Step[] = [{ hang: 'mid-stream' }];
      const result = await execute(world, { model: MODEL, timeoutSec: 2 }, steps);
      expect(result.status).toBe('failed');
    }));

  test('without a model fails and says which form it has', () =>
    inWorld(async (world) => {
      const result = await execute(world, {}, [{ text: 'Hi' }]);
      expect(result).toMatchObject({ status: 'failed', output: 'Pi needs a model.' });
    }));
});

describe('Pi', { timeout: 60_000 }, () => {
  test('asks the model that was named, of a provider in models.json', () =>
    inWorld(async (world) => {
      const { requests } = await run(world, [{ text: 'Hi' }], { model: 'fake/other-model' });
      expect(requests).toMatchObject([{ model: 'other-model' }]);
    }));

  test.each([
    ['fake/nope', 'model_not_found'],
    ['nobody/nope', 'model_not_found'],
    ['anthropic/claude-sonnet-4-5', 'auth_missing'],
  ])('cannot use %s: %s', (name, code) =>
    inWorld(async (world) => {
      const env = { ...world.options.env, ANTHROPIC_API_KEY: '', ANTHROPIC_OAUTH_TOKEN: '' };
      const { result } = await run(world, [{ text: 'Hi' }], { model: name, env });
      expect(result).toMatchObject({ outcome: 'failed', error: { code } });
    }),
  );

  test('does not start without a readable models.json, and its probe says so', () =>
    inWorld(async (world) => {
      const { env } = world.options;
      expect((await pi.probe({ env })).problems).toEqual([]);
      rmSync(join(env.FLUX_PI_AGENT_DIR ?? '', 'models.json'));
      const { result } = await run(world, [{ text: 'Hi' }]);
      expect(result.error).toMatchObject({ code: 'config_invalid' });
      expect(result.error?.message).toContain('models.json');
      expect((await pi.probe({ env })).problems).toMatchObject([{ code: 'config_invalid' }]);
    }));

  test('says where a broken models.json is broken', () =>
    inWorld(async (world) => {
      writeFileSync(join(world.options.env.FLUX_PI_AGENT_DIR ?? '', 'models.json'), '{ nope');
      const { result } = await run(world, [{ text: 'Hi' }]);
      expect(result.error).toMatchObject({ code: 'config_invalid' });
      expect(result.error?.message).toContain('models.json');
    }));

  test.each(['.git/hooks/pre-commit', '../outside.txt'])(
    'auto: asks about %s, although another argument names a harmless file',
    (path) =>
      inWorld(async (world) => {
        const input = { file_path: 'ok.txt', path, content: 'x' };
        const steps: Step[] = [{ tools: [{ raw: { name: 'write', input } }] }, { text: 'Done.' }];
        const asked: unknown[] = [];
        const { result } = await run(world, steps, {
          permissionMode: 'auto',
          providerOptions: { tools: true },
          onRequest: ({ kind, request }) => {
            if (kind === 'permission') asked.push(request.action);
            return { decision: 'deny', reason: 'No.' };
          },
        });
        expect(result.outcome).toBe('done');
        const written = resolve(world.cwd, path);
        expect(asked).toMatchObject([{ type: 'file.edit', changes: [{ path: written }] }]);
        expect(existsSync(written)).toBe(false);
      }),
  );

  test('has only the tools that the caller allowed, and they still ask', () =>
    inWorld(async (world) => {
      const tools = { allowed: ['bash', 'read'], disallowed: ['read'] };
      const steps: Step[] = [{ tools: [{ shell: 'touch made.txt' }] }, { text: 'Done.' }];
      const asked: string[] = [];
      const { result, requests } = await run(world, steps, {
        tools,
        onRequest: ({ kind, request }) => {
          if (kind === 'permission') asked.push(request.tool);
          return { decision: 'deny', reason: 'No.' };
        },
      });
      expect(asked).toEqual(['bash']);
      expect(result.outcome).toBe('done');
      expect(existsSync(join(world.cwd, 'made.txt'))).toBe(false);
      const [first] = requests as { tools: { function: { name: string } }[] }[];
      expect(first?.tools.map((tool) => tool.function.name)).toEqual(['bash']);
    }));

  test('thinks as hard as it is told', () =>
    inWorld(async (world) => {
      const providerOptions = { thinking: 'high' };
      const steps: Step[] = [{ thinking: 'Hm.', text: 'Yes.' }];
      const { events, requests } = await run(world, steps, { providerOptions });
      expect(JSON.stringify(requests)).toContain('"reasoning_effort":"high"');
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'message.completed', kind: 'thinking', text: 'Hm.' }),
      );
    }));

  test('stops the agent when the cost exceeds the budget', () =>
    inWorld(async (world) => {
      const usage = { input: 1_000_000, output: 1000 };
      const steps: Step[] = [{ tools: [{ shell: 'true' }], usage }, { text: 'Done.' }];
      const { result } = await run(world, steps, {
        permissionMode: 'allow-all',
        providerOptions: { tools: true },
        budgetUsd: 0.5,
      });
      expect(result.error?.code).toBe('budget_exceeded');
    }));

  test('loads nothing that a trusted folder has for it', () =>
    inWorld(async (world) => {
      const extensions = join(world.cwd, '.pi/extensions');
      mkdirSync(extensions, { recursive: true });
      const started = join(world.cwd, 'started.txt');
      const code = `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync(${JSON.stringify(started)}, '');\n`;
      writeFileSync(join(extensions, 'planted.ts'), code);
      const prefix = { shellCommandPrefix: `touch ${started};` };
      writeFileSync(join(world.cwd, '.pi/settings.json'), JSON.stringify(prefix));
      writeFileSync(join(world.cwd, '.pi/SYSTEM.md'), 'PLANTED');
      const steps: Step[] = [{ tools: [{ shell: 'true' }] }, { text: 'Done.' }];
      const { result, requests } = await run(world, steps, {
        trusted: true,
        permissionMode: 'allow-all',
        providerOptions: { tools: true },
      });
      expect(result.outcome).toBe('done');
      expect(existsSync(started)).toBe(false);
      expect(JSON.stringify(requests)).not.toContain('PLANTED');
    }));

  test('takes a prompt that looks like a command as a prompt', () =>
    inWorld(async (world) => {
      const prompt = `/help ${scripted(model, [{ text: 'Words.' }])}`;
      const { cwd, options } = world;
      const { result } = await finish(pi.run({ model: MODEL, ...options, cwd, prompt }));
      expect(result).toMatchObject({ outcome: 'done', output: 'Words.' });
    }));

  test('refuses an id that another session has', () =>
    inWorld(async (world) => {
      const sessionId = crypto.randomUUID();
      expect((await run(world, [{ text: 'Hi' }], { sessionId })).result.outcome).toBe('done');
      const { result } = await run(world, [{ text: 'Hi' }], { sessionId });
      expect(result.error).toMatchObject({ code: 'usage' });
    }));
});
