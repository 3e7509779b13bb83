import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunInput } from '@baton/engine/definition/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import {
  type FakeModel,
  type Step,
  startFakeModel,
} from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, type Finished, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { agentRuntime } from '../../../../contracts/src/agent-runtime.ts';
import { COMPLETION_MARKER } from '../../../../contracts/src/marker.ts';
import { agentWorld } from '../../testing/agent-world.ts';
import { codexSdkBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const sdk = codexSdkBackend({ binary: agentPrograms['codex-sdk'].native });
const write: Step = { tools: [{ write: { path: 'a.txt', content: 'x\n' } }] };

type Tried = Finished & { hasEdited: boolean };

/** Runs a prompt to its end, after which nothing of it may be left; a long command is cancelled. */
async function tried(steps: readonly Step[], more: Partial<RunInput> = {}): Promise<Tried> {
  const world = await agentWorld('codex', model);
  const env = { ...world.options.env, BATON_CODEX_BIN: agentPrograms.codex.native };
  try {
    const prompt = scripted(model, steps);
    const run = sdk.run({ permissionMode: 'allow-all', ...more, cwd: world.cwd, env, prompt });
    const finished = await finish(run, (event) => {
      if (event.type === 'tool.started' && steps.some(isLong)) void run.cancel();
    });
    return { ...finished, hasEdited: existsSync(join(world.cwd, 'a.txt')) };
  } finally {
    await world.dispose();
  }
}

const isLong = (step: Step) => JSON.stringify(step).includes('sleep 60');

describe('the Codex SDK', () => {
  test('cannot read U+2028, and the error names the backend that can', async () => {
    const { result } = await tried([{ text: 'One\u2028two.' }]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'output_unreadable' } });
    expect(result.error?.hint).toContain('codex-cli');
  });

  test('ends Codex with SIGTERM on a stop, and the sweep ends its command', async () => {
    const { result } = await tried([{ tools: [{ shell: 'sleep 60' }] }]);
    expect(result).toMatchObject({ outcome: 'cancelled', stop: { state: 'stopped' } });
  });

  test('makes no edit in mode ask, and says that no one can be asked', async () => {
    const { events, hasEdited } = await tried([write, { text: 'Done.' }], {
      permissionMode: 'ask',
    });
    expect(hasEdited).toBe(false);
    const notices = all(events, 'notice').map(({ message }) => message);
    expect(notices.join('\n')).toContain('read-only sandbox');
  });

  test('edits in the workspace in mode auto', async () => {
    const { result, hasEdited } = await tried([write, { text: 'Done.' }], {
      permissionMode: 'auto',
    });
    expect(result.outcome).toBe('done');
    expect(hasEdited).toBe(true);
  });

  test('finds the completion marker in the final output', async () => {
    const world = await agentWorld('codex', model);
    const env = { ...world.options.env, BATON_CODEX_BIN: agentPrograms.codex.native };
    const prompt = scripted(model, [{ text: `All done. ${COMPLETION_MARKER}` }]);
    const runtime = agentRuntime(sdk);
    const options = { prompt, cwd: world.cwd, env, mode: 'print' } as const;
    const { exitCode, markerDetected } = await runtime.runStreaming(options, {});
    await world.dispose();
    expect({ exitCode, markerDetected }).toEqual({ exitCode: 0, markerDetected: true });
    await expect(runtime.runInteractive(options)).rejects.toThrow('has no interactive mode');
  });
});
