import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Backend } from '@baton/engine/definition/backend';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { agentPrograms } from '../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../testbed/install.mjs';
import { createBackend } from '../../../contracts/src/backend-adapter.ts';
import { gatewayBackend } from '../../../contracts/src/contract-backends.ts';
import { agentWorld } from './agent-world.ts';
import { scripted } from './model-script.ts';

/** A hook that the agent runs before it writes a file: its name and its place in the user's settings. */
const WRITE_HOOKS = {
  claude: { settings: '.claude/settings.json', event: 'PreToolUse', matcher: 'Write' },
  gemini: { settings: '.gemini/settings.json', event: 'BeforeTool', matcher: 'write_file' },
};

function plantWriteHook(name: keyof typeof WRITE_HOOKS, home: string, command: string): void {
  const { settings, event, matcher } = WRITE_HOOKS[name];
  const path = join(home, settings);
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  mkdirSync(dirname(path), { recursive: true });
  const hooks = { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] };
  writeFileSync(path, JSON.stringify({ ...before, hooks }));
}

/**
 * Tests of an agent that the gateway relies on to report each tool before it starts: only then may the gateway repeat a
 * prompt after a failure without a reported tool.
 */
export function describeToolsFirst(name: keyof typeof WRITE_HOOKS): void {
  let model: FakeModel;
  beforeAll(async () => {
    await installAgents();
    model = await startFakeModel();
  }, 300_000);
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => model.close());

  /** The agent as the gateway runs it: with the environment of this process. */
  async function gatewayAgent() {
    const { cwd, home, options, dispose } = await agentWorld(name, model, { sandbox: true });
    onTestFinished(dispose);
    for (const [variable, value] of Object.entries(options.env)) vi.stubEnv(variable, value);
    const binary = agentPrograms[name].native;
    const backend = gatewayBackend(name, { streaming: true, binary });
    const adapter = createBackend(name, {
      cliPath: binary,
      workingDir: cwd,
      queryTimeoutMs: 100_000,
      allowedTools: [],
      maxTurns: 25,
    });
    return { adapter, backend, cwd, home };
  }

  describe('the streaming agent of the gateway', () => {
    test('reports a command while it runs', async () => {
      const { backend, cwd } = await gatewayAgent();
      const gate = gateIn(cwd);
      const prompt = scripted(model, [{ tools: [{ shell: gate.command }] }, { text: 'Done.' }]);
      const { types, result } = execute(backend, prompt, cwd);
      await gate.reached();
      await vi.waitFor(() => expect(types).toContain('tool.started'));
      expect(types).not.toContain('tool.completed');
      gate.open();
      expect(await result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(types.indexOf('tool.started')).toBeLessThan(types.indexOf('tool.completed'));
    });

    test('reports an edit before it makes it', async () => {
      const { backend, cwd, home } = await gatewayAgent();
      const gate = gateIn(cwd);
      plantWriteHook(name, home, gate.command);
      const write = { path: join(cwd, 'edited.txt'), content: 'x\n' };
      const prompt = scripted(model, [{ tools: [{ write }] }, { text: 'Done.' }]);
      const { types, result } = execute(backend, prompt, cwd);
      await gate.reached();
      await vi.waitFor(() => expect(types).toContain('tool.started'));
      expect(existsSync(write.path)).toBe(false);
      gate.open();
      expect(await result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(existsSync(write.path)).toBe(true);
    });

    test('has reported a command that kills the agent as its first action', async () => {
      const { adapter } = await gatewayAgent();
      const shell = 'kill -9 $PPID';
      const prompt = scripted(model, [{ tools: [{ shell }] }, { text: 'Never said.' }]);
      const result = await adapter.execute(prompt, '', undefined, async () => {});
      expect(result).toMatchObject({ isError: true, failure: { mayHaveActed: true } });
    });
  });
}

function execute(backend: Backend, prompt: string, cwd: string) {
  const types: string[] = [];
  const run = backend.run({ prompt, cwd, permissionMode: 'allow-all' });
  const finish = async () => {
    for await (const { type } of run) types.push(type);
    return run.result;
  };
  return { types, result: finish() };
}

/** A command that waits until the test lets it end. */
function gateIn(folder: string) {
  const [reached, opened] = [join(folder, 'reached'), join(folder, 'opened')];
  const open = () => writeFileSync(opened, '');
  onTestFinished(open);
  return {
    command: `touch '${reached}'; until test -e '${opened}'; do sleep 0.05; done`,
    reached: () => vi.waitFor(() => expect(existsSync(reached)).toBe(true)),
    open,
  };
}
