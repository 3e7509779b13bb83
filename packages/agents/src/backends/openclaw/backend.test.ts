import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@baton/config/settings';
import type { Json } from '@baton/config/values/json';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import { defineBackend } from '@baton/engine/run/define-backend';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { openClawTask } from '../../../../contracts/src/openclaw-task.ts';
import { runnerBackend } from '../../../../contracts/src/runner-backend.ts';
import { openClawBackend } from '../../testing/built-in-backends.ts';
import { builtInBaton } from '../../testing/built-in-baton.ts';
import { openClawSpec } from './backend.ts';
import { liveDriver } from './drivers.ts';
import { GATEWAY_TIMES } from './gateway-channel.ts';
import { type Reply, type StubClient, StubGateway } from './testing/stub-gateway.ts';

const TIMES = { ...GATEWAY_TIMES, reconnectMs: 50, pauseMs: { first: 5, longest: 20 } };

let gateway: StubGateway;
let home: string;
let backend: Backend;
beforeEach(async () => {
  gateway = await StubGateway.start();
  home = mkdtempSync(join(tmpdir(), 'openclaw-backend-'));
  const driver = liveDriver(TIMES);
  const stop = { ...driver.stop, interruptMs: 100 };
  backend = defineBackend({ ...openClawSpec, drivers: [{ ...driver, stop }] })();
});
afterEach(async () => {
  await gateway.close();
  rmSync(home, { recursive: true });
});

function start(more: Partial<RunInput> = {}) {
  const env = { HOME: home, OPENCLAW_GATEWAY_URL: gateway.url, OPENCLAW_GATEWAY_TOKEN: 'shared' };
  return backend.run({
    prompt: 'Hi',
    cwd: home,
    permissionMode: 'allow-all',
    ...more,
    env: { ...env, ...more.env },
  });
}

/** Accepts a prompt, and ends its run when told. */
function accepting(then: (client: StubClient, runId: string) => void = () => {}) {
  return (method: string, params: Json, client: StubClient): Reply => {
    if (method !== 'agent') return undefined;
    const runId = String(params.idempotencyKey);
    queueMicrotask(() => then(client, runId));
    return { payload: { runId, sessionKey: params.sessionKey, status: 'accepted' } };
  };
}

function speak(client: StubClient, runId: string, text: string): void {
  client.event('agent', { runId, stream: 'assistant', data: { text, itemId: '1' } });
}

const done = (runId: string, text = 'Hello.') => ({
  payload: { runId, status: 'ok', summary: 'completed', result: { payloads: [{ text }] } },
});

/** Ends a run in its second response. */
function answering(text = 'Hello.') {
  return accepting((client, runId) => {
    speak(client, runId, text);
    client.respond('1', done(runId, text));
  });
}

describe('a prompt', () => {
  test('goes to a session of its own, of the agent that is set', async () => {
    gateway.onRequest = answering();
    const { result } = await finish(start({ env: { OPENCLAW_AGENT_ID: 'Ops' } }));
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
    expect(result.nativeSessionId).toMatch(/^agent:ops:baton:[\da-f-]{36}$/);
  });

  test('goes to the session that is named, with its system prompt', async () => {
    gateway.onRequest = answering();
    const providerOptions = { sessionKey: 'Agent:Main:Mine' };
    await finish(start({ providerOptions, systemPrompt: 'Be brief.' }));
    expect(gateway.of('agent')).toMatchObject([
      { sessionKey: 'agent:main:mine', message: 'Hi', extraSystemPrompt: 'Be brief.' },
    ]);
  });

  test('cannot name two sessions', () => {
    const both = { resume: 'a', providerOptions: { sessionKey: 'b' } };
    expect(() => start(both)).toThrow(/both name a session/);
  });

  test.each(['ask', 'auto'] as const)('in mode %s is refused', (permissionMode) => {
    expect(() => start({ permissionMode })).toThrow(/does not support/);
  });

  test('ignores events of other runs', async () => {
    gateway.onRequest = accepting((client, runId) => {
      speak(client, 'another', 'Not for you.');
      client.respond('1', done(runId));
    });
    const { events } = await finish(start());
    expect(JSON.stringify(events)).not.toContain('Not for you');
  });

  test('says that the agent does not work in the folder', async () => {
    gateway.onRequest = accepting((client, runId) => client.respond('1', done(runId)));
    const { events } = await finish(start());
    const message = 'OpenClaw works in the workspace of its gateway, not in this folder.';
    expect(events).toContainEqual(expect.objectContaining({ code: 'option_ignored', message }));
  });

  test('over an unencrypted network is warned of', async () => {
    const url = 'ws://gateway.invalid:1';
    const { events, result } = await finish(start({ env: { OPENCLAW_GATEWAY_URL: url } }));
    expect(events).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('is not encrypted') }),
    );
    expect(result.error?.code).toBe('network_unreachable');
  });

  test('to something that is not a gateway fails', async () => {
    gateway.onConnect = () => ({});
    gateway.onRequest = () => ({ payload: { nonsense: true } });
    const { outcome, error } = (await finish(start())).result;
    expect([outcome, error?.code]).toEqual(['failed', 'agent_failed']);
  });

  test('never shows a secret', async () => {
    gateway.sharedToken = 'very-secret';
    gateway.onRequest = answering();
    const seen: string[] = [];
    const secret = { OPENCLAW_GATEWAY_TOKEN: 'very-secret' };
    const { events } = await finish(
      start({
        env: secret,
        onPrinted: (line) => seen.push(line),
        onSent: (text) => seen.push(text),
      }),
    );
    expect(JSON.stringify([events, seen])).not.toContain('very-secret');
    expect(JSON.stringify([events, seen])).not.toContain('device-1');
  });
});

describe('a run whose connection is lost', () => {
  test('asks for its response with the same key, after agent.wait', async () => {
    let asked = 0;
    gateway.onRequest = (method, { runId, idempotencyKey }) => {
      const id = String(runId ?? idempotencyKey);
      if (method === 'agent.wait') return { payload: { runId: id, status: 'ok' } };
      asked += 1;
      if (asked === 1) queueMicrotask(() => gateway.cut());
      if (asked === 4) return done(id);
      return { payload: { runId: id, status: asked === 1 ? 'accepted' : 'in_flight' } };
    };
    const { result } = await finish(start());
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
    const keys = gateway.of('agent').map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(gateway.of('agent.wait')).toHaveLength(2);
  });

  test('is sent again when the gateway may not have got it', async () => {
    let asked = 0;
    gateway.onRequest = (_method, { idempotencyKey }) => {
      asked += 1;
      if (asked === 1) gateway.cut();
      return asked === 1 ? undefined : done(String(idempotencyKey));
    };
    expect((await finish(start())).result.outcome).toBe('done');
    const keys = gateway.of('agent').map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(1);
  });

  test('is never sent to another process of the gateway', async () => {
    gateway.onRequest = (method, params, client) => {
      if (method === 'agent.wait') return { payload: { runId: params.runId, status: 'timeout' } };
      return accepting(() => {
        gateway.bootId = 'boot-2';
        gateway.cut();
      })(method, params, client);
    };
    const { result } = await finish(start({ retry: { attempts: 2, baseMs: 1 } }));
    expect(result.error).toMatchObject({ code: 'interrupted', retryable: false });
    expect(result.error?.message).toContain('restarted');
    expect(gateway.of('agent')).toHaveLength(1);
  });

  test('takes the answer that a restarted gateway remembers', async () => {
    gateway.onRequest = (method, params, client) => {
      const terminalReply = { text: 'Remembered.' };
      if (method === 'agent.wait') return { payload: { status: 'ok', terminalReply } };
      return accepting(() => {
        gateway.bootId = 'boot-2';
        gateway.cut();
      })(method, params, client);
    };
    const { result } = await finish(start());
    expect(result).toMatchObject({ outcome: 'done', output: 'Remembered.' });
    expect(gateway.of('agent')).toHaveLength(1);
  });

  test('for too long is interrupted, and not repeated', async () => {
    gateway.onRequest = accepting(() => void gateway.close());
    const { result } = await finish(start({ retry: { attempts: 2, baseMs: 1 } }));
    expect(result.error).toMatchObject({ code: 'interrupted', retryable: false });
    expect(gateway.of('agent')).toHaveLength(1);
  });
});

describe('a stop', () => {
  test('aborts the run, and is confirmed by its response', async () => {
    gateway.onRequest = (method, params, client) => {
      if (method !== 'chat.abort')
        return accepting((c, id) => speak(c, id, 'Well'))(method, params, client);
      client.respond('1', {
        payload: { runId: params.runId, status: 'timeout', stopReason: 'rpc' },
      });
      return { payload: { ok: true, aborted: true } };
    };
    const run = start();
    const { result } = await finish(run, (event) => {
      if (event.type === 'message.delta') void run.cancel();
    });
    expect(result).toMatchObject({
      outcome: 'cancelled',
      output: 'Well',
      stop: { state: 'stopped' },
    });
  });

  test('that the gateway does not confirm is unverified', async () => {
    gateway.onRequest = accepting((client, runId) => speak(client, runId, 'Well'));
    const run = start();
    const { result } = await finish(run, (event) => {
      if (event.type === 'message.delta') void run.cancel();
    });
    expect(result).toMatchObject({ outcome: 'cancelled', stop: { state: 'unverified' } });
    expect(gateway.of('chat.abort')).toHaveLength(1);
  });

  test('of a run that has not started yet is repeated when it has', async () => {
    gateway.onRequest = (method, params, client) => {
      const runId = String(params.runId ?? params.idempotencyKey);
      if (method === 'agent') return accepting()(method, params, client);
      const isFirst = gateway.of('chat.abort').length === 1;
      const data = { phase: 'start' };
      if (isFirst) client.event('agent', { runId, stream: 'lifecycle', data });
      else client.respond('1', { payload: { runId, status: 'timeout', stopReason: 'rpc' } });
      return { payload: { ok: true, aborted: !isFirst } };
    };
    const run = start();
    const { result } = await finish(run, (event) => {
      if (event.type === 'run.identified') void run.cancel();
    });
    expect(result.stop?.state).toBe('stopped');
    expect(gateway.of('chat.abort')).toHaveLength(2);
  });

  test('reaches the gateway through a new connection', async () => {
    gateway.onRequest = (method, params, client) => {
      if (method === 'agent')
        return accepting((c, id) => speak(c, id, 'Well'))(method, params, client);
      if (method !== 'chat.abort') return undefined;
      const count = gateway.of('agent').length;
      client.respond(String(count + 1), { payload: {} });
      return { payload: { ok: true, aborted: true } };
    };
    const run = start();
    await finish(run, async (event) => {
      if (event.type !== 'message.delta') return;
      gateway.cut();
      await vi.waitUntil(() => gateway.of('connect').length === 2);
      void run.cancel();
    });
    expect(gateway.of('chat.abort').length).toBeGreaterThan(0);
  });
});

describe('an approval that the run needs', () => {
  const ways: [string, (client: StubClient, runId: string) => void][] = [
    [
      'a refused tool',
      (client, runId) =>
        client.event('agent', {
          runId,
          stream: 'tool',
          data: {
            phase: 'result',
            name: 'exec',
            toolCallId: 'c1',
            isError: true,
            result: { details: { status: 'error', error: 'exec denied: needs exec approval' } },
          },
        }),
    ],
    [
      'a waiting run',
      (client, runId) =>
        client.event('agent', { runId, stream: 'lifecycle', data: { phase: 'waiting-approval' } }),
    ],
    [
      'a request to a reviewer',
      (client, runId) =>
        client.event('exec.approval.requested', { id: 'a1', request: { runId, command: 'rm x' } }),
    ],
  ];

  test.each(ways)('(%s) aborts it and fails it', async (_, happen) => {
    gateway.onRequest = (method, params, client) => {
      if (method === 'agent') return accepting(happen)(method, params, client);
      client.respond('1', {
        payload: { runId: params.runId, status: 'timeout', stopReason: 'rpc' },
      });
      return { payload: { ok: true, aborted: true } };
    };
    const { result } = await finish(start());
    expect([result.outcome, result.error?.code]).toEqual(['failed', 'approval_required']);
    expect(result.error?.message).toMatch(/approval|operator\.approvals|exec\.approval/);
    expect(gateway.of('chat.abort')).toHaveLength(1);
  });

  test('is not seen in the output of a command that failed by itself', async () => {
    gateway.onRequest = accepting((client, runId) => {
      const result = {
        content: [{ type: 'text', text: 'approval.txt: not found' }],
        details: { exitCode: 1 },
      };
      const data = { phase: 'result', name: 'exec', toolCallId: 'c1', isError: true, result };
      client.event('agent', { runId, stream: 'tool', data });
      client.respond('1', done(runId));
    });
    expect((await finish(start())).result.outcome).toBe('done');
  });
});

describe('as the runner sees it', () => {
  const request = (packet: object) => ({
    taskId: 't',
    taskType: 'conductor-chat',
    packet: { orgId: 'O', streamId: 's', threadId: 't', ...packet },
    prompt: 'Hi',
    startedAt: Date.now(),
    abortSignal: new AbortController().signal,
  });
  const runner = () =>
    runnerBackend(backend, {
      handles: ['openclaw', 'claude-cli', 'codex-cli'],
      defaults: {
        cwd: home,
        env: { HOME: home, OPENCLAW_GATEWAY_URL: gateway.url, OPENCLAW_GATEWAY_TOKEN: 'shared' },
      },
      forTask: (task) => openClawTask(task, {}),
    });

  test('a task for another agent runs in the session of its thread', async () => {
    gateway.onRequest = answering();
    const execution = { backend: 'claude-cli', model: 'opus', allowedTools: ['Read'] };
    expect(await runner().execute(request({ execution }))).toMatchObject({
      status: 'done',
      output: 'Hello.',
    });
    expect(gateway.of('agent')[0]?.sessionKey).toMatch(
      /^agent:main:flux:org:o~[\da-f]{10}:stream:s:thread:t$/,
    );
  });

  test('a task without a thread fails with the reason', async () => {
    const result = await runner().execute(request({ threadId: undefined }));
    expect(result).toMatchObject({ status: 'failed', output: expect.stringContaining('threadId') });
  });

  test('a missing approval has a word that makes it escalate', async () => {
    gateway.onConnect = () => ({
      error: { code: 'NOT_PAIRED', message: 'not approved yet', details: {} },
    });
    const { status, output } = await runner().execute(request({}));
    expect(status).toBe('failed');
    expect(output).toContain('approval');
  });
});

test('the settings of the user reach it in every program', async () => {
  mkdirSync(join(home, '.baton'));
  const file = { openclawUrl: gateway.url, openclawToken: 'of the file', openclawAgentId: 'ops' };
  writeFileSync(join(home, '.baton/config.json'), JSON.stringify(file));
  gateway.sharedToken = 'of the file';
  gateway.onRequest = answering();
  for (const program of ['baton', 'runner', 'gateway', 'chains'] as const) {
    const settings = loadSettings({ program, home, cwd: home, env: {} });
    const configured = await builtInBaton().withSettings(settings).loadBackend('openclaw');
    const run = configured.run({
      prompt: 'Hi',
      cwd: home,
      permissionMode: 'allow-all',
      env: { HOME: home },
    });
    expect((await run.collect()).nativeSessionId).toMatch(/^agent:ops:/);
  }
  expect(gateway.auths[0]).toEqual({ token: 'of the file' });
});

describe('probe', () => {
  const probe = (env: Record<string, string> = {}) =>
    openClawBackend().probe({
      env: {
        HOME: home,
        OPENCLAW_GATEWAY_URL: gateway.url,
        OPENCLAW_GATEWAY_TOKEN: 'shared',
        ...env,
      },
    });

  test('pings the gateway and tells its version', async () => {
    gateway.onRequest = (method) => (method === 'health' ? { payload: { ok: true } } : undefined);
    expect(await probe()).toMatchObject({
      installed: true,
      path: gateway.url,
      version: '2026.9.6',
      problems: [],
    });
  });

  test.each([
    ['no address', { OPENCLAW_GATEWAY_URL: '' }, 'backend_not_found'],
    ['a wrong address', { OPENCLAW_GATEWAY_URL: 'x' }, 'config_invalid'],
    ['nothing at the address', { OPENCLAW_GATEWAY_URL: 'ws://127.0.0.1:1' }, 'network_unreachable'],
    ['a wrong token', { OPENCLAW_GATEWAY_TOKEN: 'wrong' }, 'auth_missing'],
  ])('tells why it cannot be used: %s', async (_, env, code) => {
    expect(await probe(env)).toMatchObject({ installed: false, problems: [{ code }] });
  });

  test('tells of a gateway that is ill', async () => {
    gateway.onRequest = () => ({ error: { code: 'UNAVAILABLE', message: 'I am ill' } });
    expect((await probe()).problems).toMatchObject([
      { message: expect.stringContaining('I am ill') },
    ]);
  });
});
