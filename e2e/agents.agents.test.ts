import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import { bubblewrapProblem } from '../packages/executor/src/testing/bubblewrap.ts';
import { type AgentName, agentEnvironment, agentPrograms } from '../testbed/agents.ts';
import { type FakeModel, type Step, startFakeModel } from '../testbed/fake-model/index.ts';
import { installAgents } from '../testbed/install.mjs';

type Row = {
  agent: AgentName;
  env: Readonly<Record<string, string>>;
  /** Folder of its sessions, in its home. */
  sessions: string;
};

/** To add an agent, add one entry. */
const AGENTS: readonly Row[] = [
  {
    agent: 'claude',
    env: { BATON_CLAUDE_BIN: agentPrograms.claude.native },
    sessions: '.claude/projects',
  },
  {
    agent: 'codex',
    env: { BATON_CODEX_BIN: agentPrograms.codex.native },
    sessions: '.codex/sessions',
  },
  {
    agent: 'gemini',
    env: { BATON_GEMINI_BIN: agentPrograms.gemini.native },
    sessions: '.gemini/tmp',
  },
  {
    agent: 'opencode',
    env: { BATON_OPENCODE_BIN: agentPrograms.opencode.native },
    sessions: '.local/share/opencode',
  },
  {
    agent: 'droid',
    env: { BATON_DROID_BIN: agentPrograms.droid.native },
    sessions: '.factory/sessions',
  },
];

const noSandbox = await bubblewrapProblem();

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

/** A daemon whose executors find all agents, in a world of its own. */
async function world() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-daemon-agents-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const cwd = join(folder, 'workspace');
  mkdirSync(cwd);
  const environments = await Promise.all(
    AGENTS.map(async ({ agent, env }) => ({
      ...(await agentEnvironment(agent, model, join(folder, 'home'), { retries: 0 })),
      ...env,
    })),
  );
  const served = await serveIn(join(folder, 'state'), 0, [], Object.assign({}, ...environments));
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  return { cwd, client, home: join(folder, 'home') };
}

let keys = 0;
/** A prompt that makes the model do some steps. */
function scripted(...steps: Step[]): string {
  keys += 1;
  model.script(`daemon-${keys}`, steps);
  return `[[daemon-${keys}]] go`;
}

async function until(
  client: BatonClient,
  sessionId: string,
  isIt: (event: LogEvent) => boolean,
): Promise<LogEvent[]> {
  const seen: LogEvent[] = [];
  for await (const event of client.follow(sessionId)) {
    seen.push(event);
    if (isIt(event)) return seen;
  }
  throw new Error('unreachable');
}
const isEndOf = (taskId: string) => (event: LogEvent) =>
  event.type === 'run.completed' && event.taskId === taskId;

describe.each(AGENTS)('$agent through a daemon', ({ agent, sessions }) => {
  test('streams, asks, is followed up, and is stopped', async () => {
    const { cwd, client } = await world();
    const { session_id } = await client.sessions.create({ cwd, backend: agent });

    const first = await client.sessions.executeTask(session_id, {
      prompt: scripted({ text: 'Hello from far away.' }),
    });
    const streamed = await until(client, session_id, isEndOf(first.task_id));
    const said = streamed.map((event) => (event.type === 'message.delta' ? event.text : ''));
    expect(said.join('')).toContain('Hello from far away.');
    expect(streamed.map(({ cursor }) => cursor)).toEqual(streamed.map((_, index) => index + 1));
    expect(await client.tasks.get(first.task_id)).toMatchObject({ status: 'COMPLETED' });

    const steps: Step[] = [{ tools: [{ shell: 'echo made > made.txt' }] }, { text: 'Made.' }];
    const second = await client.sessions.executeTask(session_id, { prompt: scripted(...steps) });
    const asked = await vi.waitFor(async () => {
      const [request] = (await client.permissions.find()).data;
      expect(request?.task_id).toBe(second.task_id);
      return request;
    }, 60_000);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    await client.permissions.answer({
      session_id,
      task_id: second.task_id,
      request_id: asked?.request_id ?? '',
      answer: { decision: 'allow' },
    });
    await until(client, session_id, isEndOf(second.task_id));
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    const tasks = [await client.tasks.get(first.task_id), await client.tasks.get(second.task_id)];
    expect(tasks[1]?.native_session_id).toBe(tasks[0]?.native_session_id);
    // The end of the raw output may come after the end of the run.
    await vi.waitFor(async () => {
      const { parts } = await client.tasks.rawOutput({ task_id: second.task_id });
      expect(parts.map(({ text }) => text).join('')).toContain('Made.');
    }, 30_000);

    const third = await client.sessions.executeTask(session_id, {
      prompt: scripted({ hang: 'mid-stream' }),
    });
    await until(
      client,
      session_id,
      (event) => event.type === 'run.started' && event.taskId === third.task_id,
    );
    await client.sessions.stopTask(session_id, { task_id: third.task_id });
    const [end] = (await until(client, session_id, isEndOf(third.task_id))).slice(-1);
    expect(end).toMatchObject({ outcome: 'cancelled', stop: { state: 'stopped' } });
  });

  test('resumes a request whose process is gone, in its own session', async () => {
    const { cwd, client } = await world();
    const { session_id } = await client.sessions.create({ cwd, backend: agent });
    const make: Step = { tools: [{ shell: 'echo made >> made.txt' }] };
    const { task_id } = await client.sessions.executeTask(session_id, {
      // Claude Code adds messages of its own to a session that it resumes, which count as steps.
      prompt: scripted(make, make, make, make, { text: 'Made.' }),
    });
    const before = model.requests.length;
    const [asked] = await vi.waitFor(async () => {
      const { data } = await client.permissions.find();
      expect(data).toMatchObject([{ task_id }]);
      return data;
    }, 60_000);
    const [executor] = await client.executors.find();
    process.kill(executor?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(async () => {
      const { status, executor_id } = await client.tasks.get(task_id);
      expect({ status, executor_id }).toEqual({ status: 'AWAITING_PERMISSION', executor_id: null });
    }, 60_000);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    const allow = { session_id, task_id, answer: { decision: 'allow' as const } };
    await client.permissions.answer({ ...allow, request_id: asked?.request_id ?? '' });
    for await (const event of client.follow(session_id)) {
      if (isEndOf(task_id)(event)) break;
      if (event.type !== 'permission.requested' || event.requestId === asked?.request_id) continue;
      await client.permissions.answer({ ...allow, request_id: event.requestId });
    }
    expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    const told = JSON.stringify(model.requests.slice(before).map(({ body }) => body));
    expect(told).toContain('Your process was stopped while you were waiting');
  });

  test('continues from a transcript when it has lost its session', async () => {
    const { cwd, client, home } = await world();
    const { session_id } = await client.sessions.create({ cwd, backend: agent });
    const first = await client.sessions.executeTask(session_id, {
      prompt: scripted({ text: 'The secret number is 4711.' }),
    });
    await until(client, session_id, isEndOf(first.task_id));
    rmSync(join(home, sessions), { recursive: true });
    const before = model.requests.length;
    const second = await client.sessions.executeTask(session_id, {
      prompt: scripted({ text: 'I remember.' }),
    });
    const seen = await until(client, session_id, isEndOf(second.task_id));
    expect(await client.tasks.get(second.task_id)).toMatchObject({
      status: 'COMPLETED',
      output: 'I remember.',
    });
    const notices = seen.filter(
      (event) => event.type === 'notice' && event.code === 'session_lost',
    );
    expect(notices).toHaveLength(1);
    const told = JSON.stringify(model.requests.slice(before).map(({ body }) => body));
    expect(told).toContain('The secret number is 4711.');
  });

  test('works in a sandbox, and remembers', async (context) => {
    if (noSandbox) context.skip(noSandbox);
    const { cwd, client } = await world();
    await client.connection.call('settings', 'patch', [
      'executors.isolation',
      { value: 'bubblewrap' },
    ]);
    const { session_id } = await client.sessions.create({ cwd, backend: agent });
    const made = { tools: [{ shell: 'echo made > made.txt; touch /usr/made' }] };
    const first = await client.sessions.executeTask(session_id, {
      prompt: scripted(made, { text: 'Made.' }),
      permission_mode: 'ask',
    });
    const { task_id } = first;
    let asked = 0;
    for await (const event of client.follow(session_id)) {
      if (isEndOf(task_id)(event)) break;
      if (event.type !== 'permission.requested') continue;
      asked += 1;
      const { requestId: request_id } = event;
      // Some agents ask for the folder first, and then for the command.
      await client.permissions.answer({
        session_id,
        task_id,
        request_id,
        answer: { decision: 'allow' },
      });
    }
    expect(asked).toBeGreaterThan(0);
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    expect(existsSync('/usr/made')).toBe(false);
    const second = await client.sessions.executeTask(session_id, {
      prompt: scripted({ text: 'Again.' }),
    });
    await until(client, session_id, isEndOf(second.task_id));
    const tasks = [await client.tasks.get(task_id), await client.tasks.get(second.task_id)];
    expect(tasks.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(tasks[1]?.native_session_id).toBe(tasks[0]?.native_session_id);
  });
});

test('a conversation is handed over from one agent to the next', async () => {
  const { cwd, client } = await world();
  const { session_id } = await client.sessions.create({ cwd, backend: 'claude' });
  const first = await client.sessions.executeTask(session_id, {
    prompt: scripted({ text: 'The secret number is 4711.' }),
  });
  await until(client, session_id, isEndOf(first.task_id));
  await client.sessions.patch(session_id, { backend: 'codex' });
  const second = await client.sessions.executeTask(session_id, {
    prompt: scripted({ text: 'I know it.' }),
  });
  await until(client, session_id, isEndOf(second.task_id));
  expect(await client.tasks.get(second.task_id)).toMatchObject({
    status: 'COMPLETED',
    backend: expect.stringContaining('codex'),
  });
  const told = JSON.stringify(model.requests.at(-1)?.body);
  expect(told).toContain('The secret number is 4711.');
});
