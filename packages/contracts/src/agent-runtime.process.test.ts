import { afterAll, describe, expect, test, vi } from 'vitest';
import { claudeBackend, demoBackend } from '../../agents/src/testing/built-in-backends.ts';
import { type AgentRuntimeOptions, agentRuntime, spawnAgentAndWait } from './agent-runtime.ts';
import { claudeForRunner } from './contract-backends.ts';
import { COMPLETION_MARKER } from './marker.ts';
import { StandIns } from './testing.ts';

const standIns = new StandIns();
afterAll(() => standIns.remove());

const options = { cwd: standIns.folder, providerOptions: { pace: 0 } };
const runtime = agentRuntime(demoBackend());
const say = (text: string) => `demo:script ${JSON.stringify([{ say: text }])}`;

describe('an agent runtime', () => {
  test('is available when the program is installed and needs nothing more', async () => {
    expect(await runtime.isAvailable()).toBe(true);
    expect(await agentRuntime(claudeForRunner('/does/not/exist')).isAvailable()).toBe(false);
  });

  test('is available only with credentials, where the program wants some', async () => {
    const program = standIns.printing('1.0.0 (Claude Code)\n');
    const available = () => agentRuntime(claudeBackend({ binary: program })).isAvailable();
    vi.stubEnv('HOME', standIns.folder);
    for (const name of Object.keys(process.env)) {
      if (/^(ANTHROPIC|CLAUDE)_/.test(name)) vi.stubEnv(name, undefined);
    }
    expect(await available()).toBe(false);
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-fake');
    expect(await available()).toBe(true);
    vi.unstubAllEnvs();
  });

  test('runOnce returns the exit code, the output and the events', async () => {
    const once = await runtime.runOnce({ ...options, prompt: say('Hello.') });
    expect(once).toMatchObject({ exitCode: 0, output: 'Hello.' });
    expect(once.structured?.at(-1)).toMatchObject({ type: 'run.completed' });
  });

  test('exit codes follow the outcome', async () => {
    expect((await runtime.runOnce({ ...options, prompt: 'demo:fail' })).exitCode).toBe(1);
    const slow = { ...options, prompt: 'demo:stall', timeouts: { totalMs: 300 } };
    expect((await runtime.runOnce(slow)).exitCode).toBe(124);
    const stopped = { ...options, prompt: 'demo:stall', signal: AbortSignal.timeout(500) };
    expect((await runtime.runOnce(stopped)).exitCode).toBe(130);
  });

  test('runStreaming streams the text and finds the marker', async () => {
    const texts: string[] = [];
    let marked = 0;
    const streamed = await runtime.runStreaming(
      { ...options, prompt: say(`All done. ${COMPLETION_MARKER} indeed.`) },
      { onText: (text) => void texts.push(text), onMarker: () => (marked += 1) },
    );
    expect(streamed).toMatchObject({ exitCode: 0, markerDetected: true });
    expect(texts.join('')).toBe(`All done. ${COMPLETION_MARKER} indeed.`);
    expect(marked).toBe(1);
  });

  test('a marker in the prompt alone is not found', async () => {
    const prompt = `${say('Nothing here.')} ${COMPLETION_MARKER}`;
    expect(await runtime.runStreaming({ ...options, prompt }, {})).toMatchObject({
      markerDetected: false,
    });
  });

  test('with no one to ask, a request is denied and the run continues', async () => {
    const prompt = 'demo:script [{"shell":"touch made"},{"say":"On."}]';
    expect(await runtime.runStreaming({ ...options, prompt }, {})).toMatchObject({ exitCode: 0 });
  });

  test('mode print calls Claude with exactly the command line of the contract', async () => {
    const program = standIns.program(
      'process.stdout.write(JSON.stringify(process.argv.slice(2)));',
    );
    const claude = agentRuntime(claudeBackend({ binary: program }));
    const { output } = await claude.runOnce({
      cwd: standIns.folder,
      prompt: 'Hi',
      systemPrompt: 'Be kind.',
      mode: 'print',
    });
    expect(JSON.parse(output ?? '')).toEqual([
      '--print',
      'Hi',
      '--append-system-prompt',
      'Be kind.',
    ]);
  });

  test('mode print uses the other command line for options outside the contract', async () => {
    const program = standIns.program(
      'process.stdout.write(JSON.stringify(process.argv.slice(2)));',
    );
    const claude = agentRuntime(claudeBackend({ binary: program }));
    const commandLine = async (more: Partial<AgentRuntimeOptions>) => {
      const request = { cwd: standIns.folder, prompt: 'Hi', mode: 'print' as const, ...more };
      return (await claude.runOnce(request)).structured
        ?.map((event) => JSON.stringify(event))
        .join();
    };
    const session = crypto.randomUUID();
    expect(await commandLine({ resume: session, fork: true })).toContain('--fork-session');
    expect(await commandLine({ budgetUsd: 1 })).toContain('--max-budget-usd');
    expect(await commandLine({ sessionId: session })).toContain('--session-id');
    expect(await commandLine({ providerOptions: { effort: 'low' } })).toContain('--effort');
    expect(await commandLine({ permissionMode: 'auto' })).toContain('acceptEdits');
    expect(await commandLine({ permissionMode: 'ask' })).toContain('--settings');
  });

  test('runInteractive fails immediately without an interactive mode', async () => {
    await expect(runtime.runInteractive(options)).rejects.toMatchObject({
      code: 'capability_missing',
    });
  });

  test('an unsupported option fails at once', async () => {
    await expect(runtime.runOnce({ ...options, prompt: 'x', model: 'm' })).rejects.toMatchObject({
      code: 'capability_missing',
    });
  });

  test('spawnAgentAndWait picks the backend by name', async () => {
    expect(await spawnAgentAndWait({ ...options, backend: 'demo', prompt: say('Hi.') })).toBe(0);
    await expect(
      spawnAgentAndWait({ ...options, backend: 'nope', prompt: 'x' }),
    ).rejects.toMatchObject({ code: 'backend_unknown' });
  });

  test('spawnAgentAndWait uses the backend that FORGE_BACKEND names when the caller names none', async () => {
    vi.stubEnv('FORGE_BACKEND', 'demo');
    const exitCode = await spawnAgentAndWait({ ...options, prompt: say('Hi.') });
    vi.unstubAllEnvs();
    expect(exitCode).toBe(0);
  });

  test('an agent that is not installed is reported with a hint', async () => {
    vi.stubEnv('BATON_CLAUDE_BIN', '/nowhere/claude');
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const request = { cwd: standIns.folder, prompt: 'Hi' };
    const exitCode = await spawnAgentAndWait(request);
    const said = written.mock.calls.join('');
    written.mockRestore();
    const once = await agentRuntime(claudeBackend()).runOnce(request);
    vi.unstubAllEnvs();
    expect(exitCode).toBe(1);
    for (const words of [said, once.output]) {
      expect(words).toContain('BATON_CLAUDE_BIN: /nowhere/claude does not exist');
      expect(words).toContain('Fix the path');
    }
  });
});
