import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import type { AgentEvent } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StandIns } from '../../../contracts/src/testing.ts';
import { loadConfig } from '../config/load-config.ts';
import { localAgents } from './local-agents.ts';

const standIns = new StandIns();
const workingDir = join(standIns.folder, 'workspace');
const argsFile = join(standIns.folder, 'args.json');
beforeAll(() => void mkdirSync(workingDir));
afterAll(() => standIns.remove());

const CLAUDE = `
  const fs = require('node:fs');
  const args = process.argv.slice(2);
  fs.writeFileSync(${JSON.stringify(argsFile)}, JSON.stringify(args));
  const line = (value) => console.log(JSON.stringify({ session_id: 's1', ...value }));
  line({ type: 'system', subtype: 'init' });
  line({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'Hello' }] } });
  line({ type: 'result', subtype: 'success', is_error: false, result: 'Hello' });`;

/** The agents of a gateway in the mode `allow-all`, with a stand-in for its agent. */
async function world(backend: 'claude' | 'codex', program: string, env = {}) {
  const warnings: string[] = [];
  const loaded = loadConfig({
    AGENT_BACKEND: backend,
    BACKEND_CLI_PATH: program,
    BATON_GATEWAY_USERS: 'test:me',
    BATON_PERMISSION_MODE: 'allow-all',
    BATON_GATEWAY_WORKING_DIR: workingDir,
    ...env,
  });
  const baton = await createBaton({ settings: loaded.settings });
  const agents = localAgents(baton, loaded, { warn: (warning) => void warnings.push(warning) });
  const events: AgentEvent[] = [];
  const run = (sessionId?: string, signal = new AbortController().signal) =>
    agents.run(
      { backend },
      { prompt: 'Hi', systemPrompt: 'Be brief.', sessionId },
      {
        ...{ turnId: 't', conversationId: 'c', title: 'Hi', images: [], signal },
        left: new AbortController().signal,
        ask: async () => ({ decision: 'deny' }),
        see: (event) => void events.push(event),
      },
    );
  return { agents, run, events, warnings };
}

describe('agents with allow-all in this process', () => {
  test('run with the streaming command line of the original gateway', async () => {
    const { run, events } = await world('claude', standIns.program(CLAUDE));
    expect(await run('s0')).toEqual({ isError: false, responseText: 'Hello', sessionId: 's1' });
    const args: string[] = JSON.parse(readFileSync(argsFile, 'utf8'));
    expect(args).toEqual(expect.arrayContaining(['-p', '--dangerously-skip-permissions']));
    expect(args[args.indexOf('--output-format') + 1]).toBe('stream-json');
    expect(args[args.indexOf('--resume') + 1]).toBe('s0');
    expect(args).toContain('--append-system-prompt-file');
    expect(events.map(({ type }) => type)).toContain('message.delta');
  });

  test.each([
    { backend: 'claude', mayHaveActed: false },
    { backend: 'codex', mayHaveActed: true },
  ] as const)('report standard error of $backend and if it may have acted', async (tested) => {
    const { backend, mayHaveActed } = tested;
    const { run } = await world(backend, standIns.printing('', 'disk is on fire', 3));
    expect(await run()).toMatchObject({
      isError: true,
      responseText: 'disk is on fire',
      failure: { isTransient: true, mayHaveActed },
    });
  });

  test('end at the time limit', async () => {
    const program = standIns.program('setInterval(() => {}, 1000);');
    const { run } = await world('claude', program, { QUERY_TIMEOUT_MS: '500' });
    expect(await run()).toMatchObject({ isError: true, responseText: 'Query timed out' });
  });

  test('ignore options that an agent lacks, and name their variables', async () => {
    const program = standIns.printing('', 'failed', 3);
    const { run, warnings } = await world('codex', program, { ALLOWED_TOOLS: 'Read' });
    await run();
    expect(warnings.join('\n')).toContain('ALLOWED_TOOLS is ignored.');
  });

  test('are the four of the original gateway, with the program of the configuration', async () => {
    const program = standIns.program(CLAUDE);
    const { agents } = await world('claude', program);
    expect(agents.names).toEqual(['claude', 'codex', 'gemini', 'opencode']);
    expect(agents.nameOf(' Codex ')).toBe('codex');
    expect(() => agents.nameOf('demo')).toThrow('Unknown backend "demo".');
    expect(await agents.validate('claude')).toEqual({ isInstalled: true, path: program });
    const missing = await world('claude', '/nowhere/claude');
    expect(await missing.agents.validate('claude')).toEqual({
      isInstalled: false,
      path: '/nowhere/claude',
    });
  });
});
