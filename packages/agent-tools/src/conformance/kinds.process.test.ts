import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@baton/engine/definition/backend';
import { type ConnectionDriver, DEFAULT_STOP } from '@baton/engine/definition/driver';
import { libraryDriver } from '@baton/engine/kit/library-host';
import { webSocketChannel } from '@baton/engine/kit/web-socket';
import { defineBackend } from '@baton/engine/run/define-backend';
import type { Capabilities } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoCapabilities } from '../../../agents/src/backends/demo/capabilities.ts';
import { demoDialect } from '../../../agents/src/backends/demo/dialect.ts';
import { type ConformanceSubject, conformanceCases } from './index.ts';
import { all, finish } from './stage/stage.ts';
import { type Gateway, startGateway } from './testing/gateway.ts';

const BASE = { install: 'It is a stub.', settingsPaths: [] };
const credentials = () => ({ credentials: 'not_needed' as const });

function without(...names: (keyof Capabilities['features'])[]): Capabilities {
  const off = Object.fromEntries(names.map((name) => [name, false]));
  return { ...demoCapabilities, features: { ...demoCapabilities.features, ...off } };
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const socketDriver: ConnectionDriver = {
  transport: 'live',
  keepsProcess: true,
  // Only its own answer tells that it has stopped, and on a busy machine it takes a second to start.
  stop: { ...DEFAULT_STOP, interruptMs: 60_000 },
  connect: ({ options: { cwd, env }, onMessage, onClose, signal }) => {
    const url = `${gateway.url}?${new URLSearchParams({ cwd, home: env.HOME ?? '/' })}`;
    return webSocketChannel({ url, label: 'Gateway agent', onMessage, onClose, signal });
  },
  dialect: (out, { options, resume, fork }) =>
    demoDialect(out, {
      type: 'open',
      permissionMode: options.permissionMode,
      pace: 0,
      ...(options.sessionId === undefined ? {} : { sessionId: options.sessionId }),
      ...(resume === undefined ? {} : { resume }),
      fork,
    }),
};

const connected = defineBackend({
  ...BASE,
  id: 'gateway-stub',
  label: 'Gateway agent',
  capabilities: demoCapabilities,
  drivers: [socketDriver],
  credentials,
})();

const library = defineBackend({
  ...BASE,
  id: 'library-stub',
  label: 'Library agent',
  // A session of it is nowhere kept.
  capabilities: without('resume', 'fork', 'steer'),
  binary: { command: process.execPath, version: '1' },
  drivers: [
    libraryDriver({
      label: 'Library agent',
      transport: 'live',
      program: join(import.meta.dirname, 'testing/library-agent.ts'),
    }),
  ],
  credentials,
})();

function subjectOf(backend: Backend, more: Partial<ConformanceSubject>): ConformanceSubject {
  return {
    backend,
    failures: [],
    folderHooks: [],
    prompt: (steps) =>
      `demo:script ${JSON.stringify(steps.map((step) => ('hang' in step ? { stall: true } : step)))}`,
    async world() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kinds-')));
      const cwd = join(folder, 'workspace');
      mkdirSync(cwd);
      return {
        cwd,
        options: { env: { HOME: folder } },
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
    ...more,
  };
}

const gatewaySubject = subjectOf(connected, { runsElsewhere: true });

describe.each([
  ['behind a WebSocket', gatewaySubject],
  ['that is a library in a child process', subjectOf(library, {})],
])('an agent %s passes the conformance suite', (_kind, subject) => {
  const cases = conformanceCases(subject).filter(({ skip }) => skip === undefined);
  for (const { name, run } of cases) test(name, run);
});

describe('an agent behind a WebSocket', () => {
  const script = (steps: Parameters<ConformanceSubject['prompt']>[0]) =>
    gatewaySubject.prompt(steps);

  test('that is cut off fails the run with the reason', async () => {
    const { cwd, options, dispose } = await gatewaySubject.world();
    const run = connected.run({
      ...options,
      cwd,
      prompt: script([{ say: 'Hi.' }, { hang: true }]),
    });
    const { result } = await finish(run, (event) => {
      if (event.type === 'message.completed') gateway.cut();
    });
    expect(result.outcome).toBe('failed');
    expect(result.error?.code).toBe('network_unreachable');
    expect(result.error?.message).toMatch(/^The connection to The demo agent was lost: /);
    await dispose();
  });

  test('that does not answer a stop is disconnected, and reported as unverified', async () => {
    const deaf = defineBackend({
      ...BASE,
      id: 'deaf',
      label: 'Deaf agent',
      capabilities: demoCapabilities,
      credentials,
      drivers: [
        {
          ...socketDriver,
          stop: { ...DEFAULT_STOP, interruptMs: 50 },
          dialect: (out, input) => {
            const { interrupt: _interrupt, ...dialect } = socketDriver.dialect(out, input);
            return { ...dialect, interrupt: () => true };
          },
        },
      ],
    })();
    const { cwd, options, dispose } = await gatewaySubject.world();
    const run = deaf.run({ ...options, cwd, prompt: script([{ say: 'Hi.' }, { hang: true }]) });
    const { result } = await finish(run, (event) => {
      if (event.type === 'message.completed') void run.cancel();
    });
    expect(result.outcome).toBe('cancelled');
    expect(result.stop?.state).toBe('unverified');
    expect(result.stop?.reason).toContain('runs elsewhere');
    await dispose();
  });

  test('that cannot be reached is reported with its address, without secrets', async () => {
    const { cwd, options, dispose } = await gatewaySubject.world();
    const absent = defineBackend({
      ...BASE,
      id: 'absent',
      label: 'Absent agent',
      capabilities: demoCapabilities,
      credentials,
      drivers: [
        {
          ...socketDriver,
          connect: (input) =>
            webSocketChannel({ ...input, url: 'ws://127.0.0.1:1/?token=secret', label: 'It' }),
        },
      ],
    })();
    const { events, result } = await finish(absent.run({ ...options, cwd, prompt: 'Hi' }));
    expect(result.error?.code).toBe('network_unreachable');
    expect(result.error?.message).toBe('Cannot reach It at ws://127.0.0.1:1/.');
    expect(JSON.stringify(events)).not.toContain('secret');
    await dispose();
  });

  test('can be cancelled while it is being connected to', async () => {
    const { cwd, options, dispose } = await gatewaySubject.world();
    const slow = defineBackend({
      ...BASE,
      id: 'slow',
      label: 'Slow agent',
      capabilities: demoCapabilities,
      credentials,
      drivers: [{ ...socketDriver, connect: () => new Promise(() => {}) }],
    })();
    const run = slow.run({ ...options, cwd, prompt: 'Hi' });
    const { result } = await finish(run, (event) => {
      if (event.type === 'run.started') void run.cancel();
    });
    expect(result.outcome).toBe('cancelled');
    await dispose();
  });

  test('cannot be isolated, and is not run then', async () => {
    const { cwd, options, dispose } = await gatewaySubject.world();
    const run = connected.run({
      ...options,
      cwd,
      prompt: script([{ say: 'Hi.' }]),
      confine: (command) => command,
    });
    const { events, result } = await finish(run);
    expect(result.error?.code).toBe('capability_missing');
    expect(all(events, 'message.started')).toEqual([]);
    await dispose();
  });
});
