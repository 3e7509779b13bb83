import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentEnvironmentOptions,
  type AgentName,
  agentEnvironment,
  agentPrograms,
} from './agents.ts';
import { type FakeModel, startFakeModel } from './fake-model/index.ts';
import { asArray, asObject, asText, type JsonObject } from './fake-model/json.ts';
import { installAgents } from './install.mjs';
import { type RunningAgent, startAgent } from './run-agent.ts';

const echoServer = fileURLToPath(new URL('mcp-echo.mjs', import.meta.url));

let model: FakeModel;
let folder: string;
let workspace: string;
const running: RunningAgent[] = [];

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

beforeEach(async () => {
  model.reset();
  folder = await mkdtemp(join(tmpdir(), 'baton-testbed-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace);
});
afterEach(async () => {
  for (const agent of running.splice(0)) agent.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The requests of the model's script; some releases ask for a title beside it. */
const scripted = () => model.requests.filter(({ key }) => key !== undefined);

describe('claude', () => {
  test('plain', async () => {
    const { exit, result } = await claude('[[plain]] hi');
    expect(exit).toBe(0);
    expect(result).toMatchObject({
      is_error: false,
      result: 'Hello! This is a plain answer.',
      usage: { input_tokens: 1200, output_tokens: 8 },
    });
    expect(scripted().map(({ key }) => key)).toEqual(['plain']);
  });

  test('thinking', async () => {
    const { events } = await claude('[[thinking]] hi');
    expect(events).toContainEqual(assistantWith({ type: 'thinking' }));
  });

  test('shell', async () => {
    const { events, result } = await claude('[[shell]] go');
    expect(events).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ stdout: 'hello' }) }),
    );
    expect(result).toMatchObject({ result: 'It ran.', num_turns: 2 });
    expect(scripted().map(({ step }) => step)).toEqual([0, 1]);
  });

  test('write', async () => {
    const { result } = await claude('[[write]] go', ['--permission-mode', 'acceptEdits']);
    expect(result).toMatchObject({ result: 'It is written.' });
    expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
  });

  test('an edit of a file that was read', async () => {
    model.script('edit', [
      { tools: [{ write: { path: 'a.txt', content: 'one\ntwo\n' } }] },
      { tools: [{ read: 'a.txt' }] },
      { tools: [{ edit: { path: 'a.txt', old: 'two', new: 'three' } }] },
    ]);
    await claude('[[edit]] go', ['--permission-mode', 'acceptEdits']);
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  test('an MCP tool', async () => {
    model.script('mcp', [
      { tools: [{ mcp: { server: 'echo', tool: 'say', input: { text: 'hi' } } }] },
    ]);
    const servers = { mcpServers: { echo: { command: process.execPath, args: [echoServer] } } };
    const { events } = await claude('[[mcp]] go', [
      `--mcp-config=${JSON.stringify(servers)}`,
      '--allowedTools=mcp__echo__say',
    ]);
    expect(JSON.stringify(events)).toContain('echo: hi');
  });

  test('a subagent with a script of its own', async () => {
    model.script('boss', [{ tools: [{ subagent: { prompt: '[[plain]] do it' } }] }]);
    const { events, result } = await claude('[[boss]] go');
    expect(events).toContainEqual(expect.objectContaining({ subtype: 'task_started' }));
    expect(result).toMatchObject({ result: 'Done.' });
    // The sub-agent may work in the background, with a further answer when it is done.
    expect(new Set(scripted().map(({ key }) => key))).toEqual(new Set(['boss', 'plain']));
  });

  test('a question to the user', async () => {
    const question = 'Which one?';
    model.script('ask', [{ tools: [{ question: { question, options: ['A', 'B'] } }] }]);
    const agent = await start('claude', [
      ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      ...['--permission-prompt-tool', 'stdio'],
    ]);
    agent.send({ type: 'user', message: { role: 'user', content: '[[ask]] go' } });
    const asked = await agent.until((event) => event.type === 'control_request');
    expect(asked.request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'AskUserQuestion' });

    const updatedInput = {
      ...asObject(asObject(asked.request).input),
      answers: { [question]: 'B' },
    };
    const response = { behavior: 'allow', updatedInput };
    agent.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: asked.request_id, response },
    });
    const result = await agent.until((event) => event.type === 'result');
    expect(result).toMatchObject({ is_error: false, result: 'Done.' });
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('=\\"B\\"');
  });

  test('a resumed session goes by its new prompt', async () => {
    const first = await claude('[[shell]] go');
    const { result } = await claude('[[plain]] hi', [`--resume=${first.result?.session_id}`]);
    expect(result).toMatchObject({ result: 'Hello! This is a plain answer.' });
  });

  test('characters split between packets', async () => {
    const { result } = await claude('[[emoji]] hi');
    expect(result).toMatchObject({ result: 'Grüße 👋🏽 日本語 👩‍👩‍👧‍👦 done ✅' });
  });

  test.each([
    ['auth', { api_error_status: 401 }],
    ['forbidden', { api_error_status: 403 }],
    ['not_found_model', { api_error_status: 404 }],
    ['rate_limited', { api_error_status: 429 }],
    ['overloaded', { api_error_status: 529 }],
    ['bad_request', { api_error_status: 400 }],
    ['server_error', { api_error_status: 500 }],
    ['html502', { api_error_status: 502 }],
    ['quota', { result: 'Credit balance is too low' }],
    ['context_too_long', { terminal_reason: 'prompt_too_long' }],
    ['refusal', { api_error_status: null }],
    ['max_tokens', { result: expect.stringContaining('output token maximum') }],
    ['drop', { result: expect.stringMatching(/^API Error: .*JSON/) }],
  ])('%s', async (key, expected) => {
    const { exit, result } = await claude(`[[${key}]] hi`, [], { retries: 0 });
    expect(exit).toBe(1);
    expect(result).toMatchObject({ is_error: true, ...expected });
  });

  test('one failure, then success', async () => {
    model.script('flaky', [{ status: 500, times: 1 }, { text: 'Recovered.' }]);
    const { events, result } = await claude('[[flaky]] hi', [], { retries: 1 });
    expect(events).toContainEqual(expect.objectContaining({ subtype: 'api_retry' }));
    expect(result).toMatchObject({ is_error: false, result: 'Recovered.' });
  });
});

describe('codex', () => {
  test('plain', async () => {
    const { exit, events } = await codex('[[plain]] hi');
    expect(exit).toBe(0);
    expect(events.map((event) => event.type)).toEqual([
      'thread.started',
      'turn.started',
      'item.completed',
      'turn.completed',
    ]);
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 1200, output_tokens: 8 } });
    expect(model.requests.map((request) => request.path)).toEqual(['/v1/responses']);
  });

  test('plain, through the launcher', async () => {
    const args = ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '[[plain]] hi'];
    const env = await agentEnvironment('codex', model, join(folder, 'home'));
    const launched = [agentPrograms.codex.launcher, ...args];
    const agent = startAgent(process.execPath, launched, { cwd: workspace, env });
    const { exit, events } = await agent.finish();
    expect(exit).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed' });
  });

  test('thinking', async () => {
    const { events } = await codex('[[thinking]] hi');
    expect(events).toContainEqual(itemWith({ type: 'reasoning' }));
  });

  test('shell', async () => {
    const { events } = await codex('[[shell]] go');
    expect(events).toContainEqual(
      itemWith({ type: 'command_execution', aggregated_output: 'hello\n', exit_code: 0 }),
    );
    expect(events).toContainEqual(itemWith({ type: 'agent_message', text: 'It ran.' }));
    expect(model.requests.map((request) => request.step)).toEqual([0, 1]);
  });

  test('two commands in one turn are one step', async () => {
    const { events } = await codex('[[multi]] go');
    expect(events).toContainEqual(itemWith({ type: 'agent_message', text: 'Both ran.' }));
    expect(model.requests.map((request) => request.step)).toEqual([0, 1]);
  });

  test('write', async () => {
    const { events } = await codex('[[write]] go', ['-s', 'workspace-write']);
    expect(events).toContainEqual(itemWith({ type: 'file_change', status: 'completed' }));
    expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
  });

  test('an edit', async () => {
    model.script('edit', [
      { tools: [{ write: { path: 'a.txt', content: 'one\ntwo\n' } }] },
      { tools: [{ edit: { path: 'a.txt', old: 'two', new: 'three' } }] },
    ]);
    await codex('[[edit]] go', ['-s', 'workspace-write']);
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  test('an MCP tool', async () => {
    model.script('mcp', [
      { tools: [{ mcp: { server: 'echo', tool: 'say', input: { text: 'hi' } } }] },
    ]);
    const codexConfig = `[mcp_servers.echo]
      command = ${JSON.stringify(process.execPath)}
      args = [${JSON.stringify(echoServer)}]`;
    const bypass = ['--dangerously-bypass-approvals-and-sandbox'];
    const { events } = await codex('[[mcp]] go', bypass, { codexConfig });
    expect(events).toContainEqual(
      itemWith({ type: 'mcp_tool_call', server: 'echo', tool: 'say', status: 'completed' }),
    );
  });

  test('a plan', async () => {
    model.script('plan', [{ tools: [{ plan: [{ step: 'Think', status: 'in_progress' }] }] }]);
    const { events } = await codex('[[plan]] go');
    expect(events).toContainEqual(
      itemWith({ type: 'todo_list', items: [{ text: 'Think', completed: false }] }),
    );
  });

  test('a subagent with a script of its own', async () => {
    model.script('boss', [
      { tools: [{ subagent: { prompt: '[[plain]] do it' } }] },
      { text: 'Delegated.', delayMs: 300 },
    ]);
    const { events } = await codex('[[boss]] go');
    expect(events).toContainEqual(itemWith({ type: 'collab_tool_call', tool: 'spawn_agent' }));
    expect(model.requests.map((request) => request.key)).toContain('plain');
  });

  test('a resumed thread goes by its new prompt', async () => {
    const first = await codex('[[shell]] go');
    const { events } = await codex('[[plain]] hi', ['resume', String(first.events[0]?.thread_id)]);
    expect(events).toContainEqual(itemWith({ text: 'Hello! This is a plain answer.' }));
  });

  test('characters split between packets', async () => {
    const { events } = await codex('[[emoji]] hi');
    expect(events).toContainEqual(itemWith({ text: 'Grüße 👋🏽 日本語 👩‍👩‍👧‍👦 done ✅' }));
  });

  test.each([
    ['auth', '401 Unauthorized: Incorrect API key'],
    ['forbidden', '403 Forbidden'],
    ['not_found_model', 'does not exist'],
    ['rate_limited', '429 Too Many Requests'],
    ['overloaded', 'at capacity'],
    ['bad_request', 'invalid_request_error'],
    ['server_error', 'high demand'],
    ['html502', '502 Bad Gateway'],
    ['quota', 'Quota exceeded'],
    ['context_too_long', 'context window'],
    ['max_tokens', 'max_output_tokens'],
    ['drop', 'stream closed before response.completed'],
  ])('%s', async (key, message) => {
    const { exit, events } = await codex(`[[${key}]] hi`, [], { retries: 0 });
    expect(exit).toBe(1);
    expect(events.at(-1)).toMatchObject({
      type: 'turn.failed',
      error: { message: expect.stringContaining(message) },
    });
  });

  test('a refusal leaves no trace: the turn completes with no item', async () => {
    const { exit, events } = await codex('[[refusal]] hi');
    expect(exit).toBe(0);
    expect(events.map((event) => event.type)).toEqual([
      'thread.started',
      'turn.started',
      'turn.completed',
    ]);
  });

  test('one failure, then success', async () => {
    model.script('flaky', [{ drop: 'mid-stream', times: 1 }, { text: 'Recovered.' }]);
    const { events } = await codex('[[flaky]] hi', [], { retries: 1 });
    expect(events).toContainEqual(itemWith({ text: 'Recovered.' }));
  });

  test('a turn of the app server', async () => {
    const { agent, startTurn } = await openThread();
    startTurn('[[shell]] go');
    const completed = await agent.until((message) => message.method === 'turn/completed');
    expect(completed.params).toMatchObject({ turn: { status: 'completed', error: null } });
    const deltas = agent.events.filter((event) => event.method === 'item/agentMessage/delta');
    expect(deltas.map((event) => asText(asObject(event.params).delta)).join('')).toBe(
      'Running a command.It ran.',
    );
  });

  test('a question to the user of the app server, which only plan mode may ask', async () => {
    model.script('ask', [{ tools: [{ question: { question: 'Which?', options: ['A', 'B'] } }] }]);
    const { agent, startTurn } = await openThread();
    startTurn('[[ask]] go', { mode: 'plan', settings: { model: 'gpt-5.5' } });
    const asked = await agent.until((message) => message.method === 'item/tool/requestUserInput');
    agent.send({ id: asked.id, result: { answers: { choice: { answers: ['B'] } } } });
    await agent.until((message) => message.method === 'turn/completed');
    expect(asArray(model.requests.at(-1)?.body.input).at(-1)).toMatchObject({
      type: 'function_call_output',
      output: '{"answers":{"choice":{"answers":["B"]}}}',
    });
  });
});

describe('gemini', { timeout: 60_000 }, () => {
  const gemini = async (prompt: string, args: string[] = []) =>
    (await start('gemini', ['--skip-trust', '-o', 'stream-json', ...args, '-p', prompt])).finish();

  test('plain', async () => {
    const { exit, events } = await gemini('[[plain]] hi');
    expect(exit).toBe(0);
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['init', 'message', 'result']),
    );
    expect(events.at(-1)).toMatchObject({ status: 'success', stats: { input_tokens: 1200 } });
  });

  test('shell and write', async () => {
    model.script('work', [
      { tools: [{ shell: 'echo hello' }] },
      { tools: [{ write: { path: 'hello.txt', content: 'hello\n' } }] },
    ]);
    const { events } = await gemini('[[work]] go', ['--approval-mode', 'yolo']);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_result', status: 'success', output: 'hello' }),
    );
    expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
  });
});

describe('opencode', { timeout: 60_000 }, () => {
  test('plain, shell and write', async () => {
    model.script('work', [
      { tools: [{ shell: 'echo hello' }] },
      { tools: [{ write: { path: 'hello.txt', content: 'hello\n' } }] },
      { text: 'Done.' },
    ]);
    const agent = await start('opencode', ['run', '--format', 'json']);
    const { exit, events } = await agent.finish('[[work]] go');
    expect(exit).toBe(0);
    expect(JSON.stringify(events)).toContain('"metadata":{"output":"hello\\n","exit":0');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'text', part: expect.objectContaining({ text: 'Done.' }) }),
    );
    expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
  });
});

describe('droid', { timeout: 60_000 }, () => {
  test('plain, shell and write', async () => {
    model.script('work', [
      { tools: [{ shell: 'echo hello' }] },
      { tools: [{ write: { path: join(workspace, 'hello.txt'), content: 'hello\n' } }] },
      { text: 'Done.' },
    ]);
    const args = ['exec', '-o', 'stream-json', '--auto', 'high', '[[work]] go'];
    const agent = await start('droid', args);
    const { exit, events } = await agent.finish();
    expect(exit).toBe(0);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'completion', finalText: 'Done.' }),
    );
    expect(JSON.stringify(events)).toContain('[Process exited with code 0]');
    expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\n');
  });
});

async function openThread() {
  const agent = await start('codex', ['app-server']);
  const clientInfo = { name: 'testbed', title: 'Testbed', version: '0.1.0' };
  const capabilities = { experimentalApi: true };
  agent.send({ id: 1, method: 'initialize', params: { clientInfo, capabilities } });
  await agent.until((message) => message.id === 1);
  agent.send({ method: 'initialized' });
  const place = { cwd: workspace, approvalPolicy: 'never', sandbox: 'read-only' };
  agent.send({ id: 2, method: 'thread/start', params: place });
  const { result } = await agent.until((message) => message.id === 2);
  const threadId = asObject(asObject(result).thread).id;
  const startTurn = (text: string, collaborationMode?: JsonObject) => {
    const input = [{ type: 'text', text, text_elements: [] }];
    agent.send({ id: 3, method: 'turn/start', params: { threadId, input, collaborationMode } });
  };
  return { agent, startTurn };
}

async function start(name: AgentName, args: string[], options?: AgentEnvironmentOptions) {
  const env = await agentEnvironment(name, model, join(folder, 'home'), options);
  const agent = startAgent(agentPrograms[name].native, args, { cwd: workspace, env });
  running.push(agent);
  return agent;
}

async function claude(prompt: string, args: string[] = [], options?: AgentEnvironmentOptions) {
  const format = ['--output-format', 'stream-json', '--verbose'];
  const agent = await start('claude', ['-p', prompt, ...format, ...args], options);
  const run = await agent.finish();
  return { ...run, result: run.events.find((event) => event.type === 'result') };
}

async function codex(prompt: string, args: string[] = [], options?: AgentEnvironmentOptions) {
  const sandbox = args.includes('-s') || args.some((arg) => arg.startsWith('--danger'));
  const fixed = [
    'exec',
    '--json',
    '--skip-git-repo-check',
    ...(sandbox ? [] : ['-s', 'read-only']),
  ];
  const agent = await start('codex', [...fixed, ...args, prompt], options);
  return agent.finish();
}

function assistantWith(block: JsonObject) {
  const content = [expect.objectContaining(block)];
  return expect.objectContaining({ message: expect.objectContaining({ content }) });
}

function itemWith(fields: JsonObject) {
  return expect.objectContaining({ item: expect.objectContaining(fields) });
}
