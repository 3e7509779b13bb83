import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, object, parseJson, string } from '@baton/config/values/json';
import { defineBackend } from '@baton/engine/run/define-backend';
import type { ErrorCode, RunResult } from '@baton/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CAREFUL_AGENT, FAILING_AGENTS } from '../../../../../testbed/agents/openclaw.ts';
import type { Step } from '../../../../../testbed/fake-model/index.ts';
import { type Finished, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { openClawBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';
import { openClawSpec } from './backend.ts';
import { DeviceStore } from './device-store.ts';
import { liveDriver } from './drivers.ts';
import { GATEWAY_TIMES } from './gateway-channel.ts';
import { taskSessionKey } from './session-key.ts';
import { GatewayProxy } from './testing/gateway-proxy.ts';
import { GatewayWorld } from './testing/gateway-world.ts';

type Env = Record<string, string>;

/** `npm run test:agents -- --full` also plays what takes long and hardly ever changes. */
const IS_FULL = process.env.BATON_CONFORMANCE === 'full';

let world: GatewayWorld;
beforeAll(async () => {
  world = await GatewayWorld.start();
}, 300_000);
afterAll(() => world.close());
afterEach(() => world.clean());

/** The backend with short pauses between attempts to reconnect. */
const patient = defineBackend({
  ...openClawSpec,
  drivers: [liveDriver({ ...GATEWAY_TIMES, pauseMs: { first: 50, longest: 200 } })],
})();

function start(env: Env, steps: readonly Step[], backend = openClawBackend()) {
  const prompt = scripted(world.model, steps);
  return backend.run({ cwd: world.workspace, env, prompt, permissionMode: 'allow-all' });
}

async function run(env: Env, steps: readonly Step[] = [{ text: 'Hello.' }]): Promise<RunResult> {
  return (await finish(start(env, steps))).result;
}

/** Asks the gateway, as its owner, for something about a device. */
async function asOperator(method: string, env: Env): Promise<void> {
  const operator = await world.gateway.operator();
  const { id } = new DeviceStore(env.HOME ?? '').identity();
  await operator.call(method, { deviceId: id, role: 'operator' });
  operator.close();
}

/** Counts the requests to the model that contain a text. */
function timesAsked(text: string): number {
  return world.model.requests.filter(({ body }) => JSON.stringify(body).includes(text)).length;
}

function tokenOf(env: Env): string | undefined {
  return new DeviceStore(env.HOME ?? '').token(`${env.OPENCLAW_GATEWAY_URL}/`)?.token;
}

test('a run reports its session, usage and cost', async () => {
  const env = await world.pairedDevice();
  const { nativeSessionId, usage } = await run(env);
  expect(nativeSessionId).toMatch(/^agent:main:baton:/);
  expect(usage?.inputTokens).toBeGreaterThan(0);
  expect(usage?.totalTokens).toBe((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
  expect(usage?.costUsd).toBeGreaterThan(0);
});

test('a session that is named is continued, whatever the case of its key', async () => {
  const env = await world.pairedDevice();
  const ask = (sessionKey: string, text: string) =>
    openClawBackend()
      .run({
        cwd: world.workspace,
        env,
        permissionMode: 'allow-all',
        prompt: `${scripted(world.model, [{ text: 'Noted.' }])} ${text}`,
        providerOptions: { sessionKey },
      })
      .collect();
  const key = taskSessionKey(
    { taskType: 'cadence', packet: { orgId: 'Org_1', streamId: 'b:c' } },
    env,
  );
  const { nativeSessionId } = await ask(key, 'The word is tulip.');
  expect(nativeSessionId).toBe(key);
  expect(
    (await ask(key.toUpperCase().replace('AGENT:MAIN', 'agent:main'), 'Which word?')).outcome,
  ).toBe('done');
  const last = JSON.stringify(world.model.requests.at(-1)?.body);
  expect(last).toContain('tulip');
});

describe('a device', () => {
  test('that is new fails with approval_required, and works once it is approved', async () => {
    const env = world.newDevice();
    const { outcome, error } = await run(env);
    expect([outcome, error?.code]).toEqual(['failed', 'approval_required']);
    expect(error?.message).toContain('approval');
    expect(error?.hint).toMatch(/openclaw devices approve [\da-f-]{36}/);
    const probe = await openClawBackend().probe({ env });
    expect(probe).toMatchObject({ installed: false, problems: [{ code: 'approval_required' }] });
    await world.approve();
    expect((await run(env)).outcome).toBe('done');
    expect(tokenOf(env)).toBeTypeOf('string');
    expect(await openClawBackend().probe({ env })).toMatchObject({
      installed: true,
      version: openClawSpec.testedVersions?.newest,
      credentialSource: 'device token',
      problems: [],
    });
  });

  test('needs no shared token once it has its own', async () => {
    const env = await world.pairedDevice();
    await run(env);
    const { OPENCLAW_GATEWAY_TOKEN: _token, ...own } = env;
    expect((await run(own)).outcome).toBe('done');
  });

  test('whose token was rotated replaces it with one retry', async () => {
    const env = await world.pairedDevice();
    await run(env);
    const before = tokenOf(env);
    await asOperator('device.token.rotate', env);
    const proxy = await GatewayProxy.before(world.gateway.url);
    const own = { ...env, OPENCLAW_GATEWAY_URL: proxy.url };
    new DeviceStore(env.HOME ?? '').keepToken(`${proxy.url}/`, {
      token: before ?? '',
      scopes: ['operator.read', 'operator.write'],
    });
    expect((await run(own)).outcome).toBe('done');
    expect(proxy.connections).toBe(2);
    expect(tokenOf(own)).not.toBe(before);
    expect((await run(own)).outcome).toBe('done');
    expect(proxy.connections).toBe(3);
    await proxy.down();
  });

  test('that was revoked fails with approval_required and forgets its token', async () => {
    const env = await world.pairedDevice();
    await run(env);
    await asOperator('device.token.revoke', env);
    const { outcome, error } = await run(env);
    expect([outcome, error?.code]).toEqual(['failed', 'approval_required']);
    expect(error?.message).toContain('approval');
    expect(tokenOf(env)).toBeUndefined();
  });

  test('that is revoked while it waits for its answer fails with approval_required', async () => {
    const env = await world.pairedDevice();
    let isRevoked = false;
    const hanging = start(env, [{ hang: 'mid-stream' }], patient);
    const { result } = await finish(hanging, async (event) => {
      if (event.type !== 'message.delta' || isRevoked) return;
      isRevoked = true;
      await asOperator('device.token.revoke', env);
    });
    expect([result.outcome, result.error?.code]).toEqual(['failed', 'approval_required']);
  });

  test.each(IS_FULL ? [-86_400_000, 86_400_000] : [86_400_000])(
    'whose clock is off by %i ms is admitted',
    async (skew) => {
      const env = await world.pairedDevice();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
      try {
        expect((await run(env)).outcome).toBe('done');
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('with a wrong token is refused, and told what to set', async () => {
    const env = { ...world.newDevice(), OPENCLAW_GATEWAY_TOKEN: 'wrong' };
    const { error } = await run(env);
    expect(error?.code).toBe('auth_missing');
    expect(error?.hint).toContain('OPENCLAW_GATEWAY_TOKEN');
    expect(JSON.stringify(error)).not.toContain('"wrong"');
  });

  test('finds the token of the gateway on this machine', async () => {
    const { OPENCLAW_GATEWAY_TOKEN: token, ...env } = world.newDevice();
    const path = join(env.HOME ?? '', 'openclaw.json');
    writeFileSync(path, `{ gateway: { auth: { mode: 'token', token: '${token}' } } } // mine`);
    const { error } = await run({ ...env, OPENCLAW_CONFIG_PATH: path });
    // The token is right: only the device is unknown.
    expect(error?.code).toBe('approval_required');
  });
});

describe('a connection that is lost in the middle of a run', () => {
  const STEPS: Step[] = [{ text: ['One ', 'two ', 'three ', 'four.'], deltaDelayMs: 500 }];

  /** Loses the connection at the first words, until something has happened. */
  async function runWithLoss(until: (runId: string) => Promise<void>) {
    const env = await world.pairedDevice();
    const proxy = await GatewayProxy.before(world.gateway.url);
    const prompt = scripted(world.model, STEPS);
    const sent: Json[] = [];
    const lost = patient.run({
      cwd: world.workspace,
      env: { ...env, OPENCLAW_GATEWAY_URL: proxy.url },
      prompt,
      permissionMode: 'allow-all',
      onSent: (text) => sent.push(object(parseJson(text))),
    });
    let isDown = false;
    const ended = await finish(lost, async (event) => {
      if (event.type !== 'message.delta' || isDown) return;
      isDown = true;
      await proxy.down();
      await until(String(object(sent[0]?.params).idempotencyKey));
      await proxy.up();
    });
    await proxy.down();
    const keys = sent.flatMap(({ params }) => string(object(params).idempotencyKey) ?? []);
    return { ...ended, methods: sent.map(({ method }) => method), keys, prompt };
  }

  test('for longer than the run lasts: its response is fetched, and the prompt runs once', async () => {
    const { prompt, keys, ...ended } = await runWithLoss((runId) => world.untilEnded(runId));
    expect(ended.result).toMatchObject({ outcome: 'done', output: 'One two three four.' });
    expect(ended.result.usage?.totalTokens).toBeGreaterThan(0);
    expect(spoken(ended)).toBe('One two three four.');
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect(timesAsked(prompt)).toBe(1);
  });

  test('for a moment: the stream goes on, and agent.wait tells the end', async () => {
    const { prompt, keys, methods, ...ended } = await runWithLoss(async () => {});
    expect(ended.result.outcome).toBe('done');
    expect(spoken(ended)).toBe('One two three four.');
    expect(methods).toContain('agent.wait');
    expect(new Set(keys).size).toBe(1);
    expect(timesAsked(prompt)).toBe(1);
  });
});

describe('a command that needs approval', () => {
  test('aborts the run, which fails with approval_required', async () => {
    const env = { ...(await world.pairedDevice()), OPENCLAW_AGENT_ID: CAREFUL_AGENT };
    const steps = [
      { tools: [{ shell: 'touch unapproved.txt' }] },
      { text: 'I go on without it.', delayMs: 60_000 },
    ];
    const { events, result } = await finish(start(env, steps));
    expect([result.outcome, result.error?.code]).toEqual(['failed', 'approval_required']);
    expect(result.error?.message).toMatch(/approval/);
    expect(result.nativeSessionId).toMatch(/^agent:careful:/);
    const tools = events.flatMap((event) =>
      event.type === 'tool.completed' ? [event.outcome] : [],
    );
    expect(tools).toEqual(['denied']);
    expect(existsSync(join(world.workspace, 'unapproved.txt'))).toBe(false);
  });
});

describe('a stop', () => {
  test('is confirmed by the gateway, but what the command started is out of sight', async () => {
    const env = await world.pairedDevice();
    const seconds = 600 + Math.round(Math.random() * 1e6) / 1e6;
    const escaped = 600 + Math.round(Math.random() * 1e6) / 1e6;
    // The gateway ends the command itself, not what has left its process group.
    const shell = `(setsid sleep ${escaped} &); touch began.txt; sleep ${seconds}`;
    const running = start(env, [{ tools: [{ shell }] }]);
    onTestFinished(() => {
      for (const pid of pidsOf(`sleep ${escaped}`)) process.kill(pid, 'SIGKILL');
    });
    const stopped = expect
      .poll(() => pidsOf(`sleep ${seconds}`).length, { timeout: 60_000 })
      .toBeGreaterThan(0)
      .then(() => running.cancel());
    const { result } = await finish(running);
    expect(await stopped).toMatchObject({
      state: 'unverified',
      reason: expect.stringContaining('cannot see processes that its tools have started'),
      steps: [{ step: 'interrupt' }],
    });
    expect(result.outcome).toBe('cancelled');
    expect(openClawSpec.capabilities.stop).toBe('best-effort');
    await expect.poll(() => pidsOf(`sleep ${seconds}`)).toEqual([]);
    expect(pidsOf(`sleep ${escaped}`)).toHaveLength(1);
  });
});

if (IS_FULL)
  describe('a provider that fails', () => {
    test.each<[string, ErrorCode]>([
      ['auth', 'auth_missing'],
      ['quota', 'quota_exhausted'],
      ['bad_request', 'request_rejected'],
    ])('with %s ends the run with the code %s', async (fault, code) => {
      const index = ['auth', 'quota', 'bad_request'].indexOf(fault);
      const OPENCLAW_AGENT_ID = FAILING_AGENTS[index] ?? '';
      const env = { ...(await world.pairedDevice()), OPENCLAW_AGENT_ID };
      const { outcome, error } = await run(env, [{ fault } as Step]);
      expect([outcome, error?.code]).toEqual(['failed', code]);
    });
  });

// Last: it takes the gateway away from the others.
test('a gateway that is restarted in the middle of a run: interrupted, and never run twice', async () => {
  const env = await world.pairedDevice();
  const log = join(world.workspace, 'acted.txt');
  const running = start(
    env,
    [{ tools: [{ shell: 'echo acted >> acted.txt' }] }, { hang: 'mid-stream' }],
    patient,
  );
  let isKilled = false;
  const { result } = await finish(running, async (event) => {
    if (event.type !== 'message.delta' || isKilled) return;
    isKilled = true;
    await world.gateway.restart();
  });
  expect(isKilled).toBe(true);
  expect([result.outcome, result.error?.code]).toEqual(['failed', 'interrupted']);
  expect(result.error?.retryable).toBe(false);
  expect(readFileSync(log, 'utf8')).toBe('acted\n');
  expect((await run(env)).outcome).toBe('done');
  expect(readFileSync(log, 'utf8')).toBe('acted\n');
}, 180_000);

/** Everything that the agent said. */
function spoken({ events }: Finished): string {
  return events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : [])).join('');
}

function pidsOf(command: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandOf(name) === command)
    .map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
