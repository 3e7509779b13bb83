import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BackendName, createBackend, resolveBackendName } from '@baton/contracts';
import { openStore, type Store } from '@baton/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StandIns } from '../../../contracts/src/testing.ts';
import { loadConfig } from '../config/load-config.ts';
import { HookManager } from '../hooks/hook-manager.ts';
import { startHook } from '../hooks/start-hook.ts';
import { MarkdownConfigLoader } from '../prompt/markdown-config-loader.ts';
import { SystemPromptAssembler } from '../prompt/system-prompt-assembler.ts';
import type { GatewayEvent } from '../queue/gateway-event.ts';
import { AdapterRuntime } from './adapter-runtime.ts';

/** Codex takes only a UUID. */
const SESSION = '0199a213-81c0-7800-8aa1-bbab2a035a53';

/** Mock of a backend: code that prints an answer, and the agent's message for a missing session. */
type Mock = {
  name: BackendName;
  /** The arguments that resume the session. */
  resume: readonly string[];
  /** JavaScript that prints `answer` for `session`; `streaming` selects one of two formats. */
  print: string;
  lost: string;
};

const MOCKS: readonly Mock[] = [
  {
    name: 'claude',
    resume: ['--resume', SESSION],
    print: `
      const init = { type: 'system', subtype: 'init', session_id: session };
      const result = { type: 'result', subtype: 'success', is_error: false, result: answer, session_id: session };
      const message = { id: 'm1', content: [{ type: 'text', text: answer }] };
      if (streaming) lines(init, { type: 'assistant', session_id: session, message }, result);
      else console.log(JSON.stringify([init, result]));`,
    lost: `No conversation found with session ID: ${SESSION}`,
  },
  {
    name: 'codex',
    resume: ['resume', SESSION],
    print: `
      lines(
        { type: 'thread.started', thread_id: session },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: answer } },
        { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
      );`,
    lost: `Error: thread/resume: no rollout found for thread id ${SESSION}`,
  },
  {
    name: 'gemini',
    resume: ['--resume', SESSION],
    print: `
      const timestamp = '2026-01-01T00:00:00.000Z';
      if (streaming) {
        lines(
          { type: 'init', timestamp, session_id: session, model: 'm' },
          { type: 'message', timestamp, role: 'assistant', content: answer, delta: true },
          { type: 'result', timestamp, status: 'success', stats: {} },
        );
      } else console.log(JSON.stringify({ session_id: session, response: answer, stats: {} }, null, 2));`,
    lost: `Error resuming session: Invalid session identifier "${SESSION}".`,
  },
  {
    name: 'opencode',
    resume: ['--session', SESSION, '--continue'],
    print: `
      const part = (type, id, more) =>
        ({ type, sessionID: session, part: { id, sessionID: session, messageID: 'm1', ...more } });
      lines(
        part('step_start', 'p1', { type: 'step-start' }),
        part('text', 'p2', { type: 'text', text: answer }),
        part('step_finish', 'p3', { type: 'step-finish', reason: 'stop' }),
      );`,
    lost: 'Error: Session not found',
  },
];

type Call = { args: string[]; stdin: string };

const standIns = new StandIns();
const workingDir = join(standIns.folder, 'workspace');
const callsFile = join(standIns.folder, 'calls.jsonl');
const log = { warn: () => {} };
let programs: Map<BackendName, string>;
let store: Store;
let pauses: number;

beforeAll(() => {
  mkdirSync(workingDir);
  programs = new Map(MOCKS.map((mock) => [mock.name, program(mock)]));
});
afterAll(() => standIns.remove());
beforeEach(async () => {
  pauses = 0;
  rmSync(callsFile, { force: true });
  store = await openStore({ url: ':memory:' });
});
afterEach(() => store.close());

/** Writes the mock of a backend. It records its calls, and follows a word like `mock:fail` in its prompt. */
function program({ resume: [before = ''], print, lost }: Mock): string {
  return standIns.program(`
    const fs = require('node:fs');
    const args = process.argv.slice(2);
    const stdin = fs.readFileSync(0, 'utf8');
    fs.appendFileSync(${JSON.stringify(callsFile)}, JSON.stringify({ args, stdin }) + '\\n');
    const prompt = args.join(' ') + stdin;
    const streaming = args.includes('stream-json');
    const at = args.indexOf(${JSON.stringify(before)});
    const session = at === -1 ? '${SESSION}' : args[at + 1];
    const lines = (...all) => all.forEach((line) => console.log(JSON.stringify(line)));
    const answer = 'Answer to ' + /#\\d+/.exec(prompt);
    const fail = (words) => { process.stderr.write(words); process.exitCode = 3; };
    if (prompt.includes('mock:fail')) fail('disk is on fire');
    else if (prompt.includes('mock:lost') && at !== -1) fail(${JSON.stringify(lost)});
    else if (prompt.includes('mock:garbage')) console.log('{"type": oops');
    else if (prompt.includes('mock:hang')) setInterval(() => {}, 1000);
    else {${print}
    }`);
}

function calls(): Call[] {
  if (!existsSync(callsFile)) return [];
  const lines = readFileSync(callsFile, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Starts the gateway from its environment, up to its runtime. */
async function start(
  name: BackendName,
  more: Record<string, string> = {},
): Promise<AdapterRuntime> {
  const env = {
    AGENT_BACKEND: name,
    BACKEND_CLI_PATH: programs.get(name),
    BATON_GATEWAY_USERS: 'test:me',
    BATON_GATEWAY_WORKING_DIR: workingDir,
    BATON_GATEWAY_CONFIG_DIR: join(standIns.folder, 'config'),
    ...more,
  };
  const { config } = loadConfig(env);
  const backend = createBackend(
    resolveBackendName(config.agentBackend),
    {
      cliPath: config.backendCliPath,
      workingDir: config.workingDir,
      queryTimeoutMs: config.queryTimeoutMs,
      allowedTools: [...config.allowedTools],
      maxTurns: config.backendMaxTurns,
      ...(config.backendModel === undefined ? {} : { model: config.backendModel }),
    },
    log,
  );
  expect(await backend.validate()).toBe(true);
  return new AdapterRuntime(
    config,
    backend,
    store.gatewaySessions,
    new MarkdownConfigLoader(config.configDir, config.workingDir, log),
    new SystemPromptAssembler(),
    new HookManager(config.hooks, { start: startHook, log }),
    { log, sleep: async () => ++pauses > 0 },
  );
}

function message(text: string): GatewayEvent {
  return { channelId: 'test:1', messageId: text, userId: 'test:me', text, files: [] };
}

describe.each(MOCKS)('the gateway with $name', ({ name, resume, lost }) => {
  const targetChannelId = 'test:1';

  test('answers a message and resumes the session with the next one', async () => {
    const runtime = await start(name);
    const answered = { targetChannelId, sessionId: SESSION };
    expect(await runtime.process(message('#1'))).toEqual({
      ...answered,
      responseText: 'Answer to #1',
    });
    expect(await store.gatewaySessions.get('test:1', name)).toBe(SESSION);
    expect(await runtime.process(message('#2'))).toEqual({
      ...answered,
      responseText: 'Answer to #2',
    });
    const [first, second] = calls().map(({ args }) => args);
    expect(first).not.toContain(resume[0]);
    const at = second?.indexOf(resume[0] ?? '') ?? -1;
    expect(second?.slice(at, at + resume.length)).toEqual(resume);
  });

  test('keeps the session after a restart of the gateway, for each channel', async () => {
    await (await start(name)).process(message('#1'));
    const restarted = await start(name);
    await restarted.process(message('#2'));
    await restarted.process({ ...message('#3'), channelId: 'test:2' });
    expect(calls().map(({ args }) => args.includes(SESSION))).toEqual([false, true, false]);
  });

  test('passes the text to the stream callback', async () => {
    const texts: string[] = [];
    const onStream = async (text: string) => void texts.push(text);
    const result = await (await start(name)).process(message('#1'), { onStream });
    expect(result.responseText).toBe('Answer to #1');
    expect(texts.join('')).toBe('Answer to #1');
  });

  test('reports standard error after a failing exit code', async () => {
    const result = await (await start(name)).process(message('mock:fail'));
    expect(result).toMatchObject({ error: 'disk is on fire', targetChannelId });
    expect(result).not.toHaveProperty('responseText');
    expect(calls()).toHaveLength(1);
  });

  test('retries a failure only if a stream proves that no tool was started', async () => {
    const runtime = await start(name);
    await runtime.process(message('mock:fail'), { onStream: async () => {} });
    const isProven = name === 'claude' || name === 'gemini';
    expect([calls().length, pauses]).toEqual(isProven ? [4, 3] : [1, 0]);
  });

  test('reports output that is not JSON', async () => {
    const result = await (await start(name)).process(message('mock:garbage'));
    expect(result).toMatchObject({ error: 'Failed to parse CLI output', targetChannelId });
  });

  test('reports a query that times out', async () => {
    const runtime = await start(name, { QUERY_TIMEOUT_MS: '1000' });
    expect(await runtime.process(message('mock:hang'))).toEqual({
      error: 'Query timed out',
      targetChannelId,
      offerRetry: true,
    });
  });

  test('removes a session that the agent does not have, and starts fresh', async () => {
    const runtime = await start(name);
    await runtime.process(message('#1'));
    expect(await runtime.process(message('mock:lost #2'))).toEqual({
      error: lost,
      targetChannelId,
      offerRetry: true,
    });
    expect(await store.gatewaySessions.get('test:1', name)).toBeUndefined();
    expect(await runtime.process(message('mock:lost #3'))).toMatchObject({
      responseText: 'Answer to #3',
      sessionId: SESSION,
    });
    expect(calls().map(({ args }) => args.includes(SESSION))).toEqual([false, true, false]);
  });
});
