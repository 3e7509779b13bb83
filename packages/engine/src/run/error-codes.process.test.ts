import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@baton/config/settings';
import { BatonError, ERROR_CODES, type ErrorCode } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { claudeDialects } from '../../../agents/src/backends/claude/dialect.ts';
import { codexDialects } from '../../../agents/src/backends/codex/backend.ts';
import { demoCapabilities } from '../../../agents/src/backends/demo/capabilities.ts';
import { openClawFormat } from '../../../agents/src/backends/openclaw/dialect.ts';
import { demoBackend } from '../../../agents/src/testing/built-in-backends.ts';
import { builtInBaton } from '../../../agents/src/testing/built-in-baton.ts';
import {
  demoWorld,
  finish,
  keepDemoWorlds,
  steps,
} from '../../../agents/src/testing/demo-world.ts';
import { recording, replayed } from '../../../agents/src/testing/recordings.ts';
import { spawnError } from '../../../process/src/spawn-error.ts';
import { DEFAULT_STOP } from '../definition/driver.ts';
import { defineBackend } from './define-backend.ts';

keepDemoWorlds();

type Producer = () => Promise<string | undefined>;

/** Producer of each code: a recording of a real agent, or a real run. */
const PRODUCERS: Partial<Record<ErrorCode, Producer>> = {
  usage: thrown(() => demoBackend().run({ prompt: '' })),
  config_invalid: thrown(() => {
    const home = demoWorld().cwd;
    mkdirSync(join(home, '.baton'));
    writeFileSync(join(home, '.baton/config.json'), '{');
    loadSettings({ program: 'baton', cwd: home, home, env: {} });
  }),
  cwd_missing: thrown(() => demoBackend().run({ prompt: 'Hi', cwd: '/does/not/exist' })),
  backend_unknown: thrown(() => builtInBaton().loadBackend('nobody')),
  backend_not_found: ran({}, () => demoBackend({ binary: '/does/not/exist' })),
  backend_not_executable: ran({}, () => demoBackend({ binary: tmpdir() })),
  capability_missing: thrown(() => demoBackend().run({ prompt: 'Hi', model: 'm' })),
  auth_missing: recorded('claude', '51'),
  access_denied: recorded('claude', '52'),
  root_refused: recorded('claude', '11'),
  trust_required: recorded('codex', '20'),
  rate_limited: recorded('claude', '57'),
  overloaded: recorded('claude', '58'),
  provider_error: recorded('claude', '60'),
  quota_exhausted: recorded('codex', '55'),
  context_too_long: recorded('claude', '55'),
  model_not_found: recorded('claude', '56'),
  request_rejected: recorded('codex', '114'),
  refused: recorded('claude', '43'),
  session_not_found: recorded('codex', '16'),
  permission_denied: ran({
    prompt: steps({ shell: 'true' }),
    onRequest: () => ({ decision: 'deny', stop: true }),
  }),
  approval_required: recorded('openclaw', '81'),
  timed_out: ran({ prompt: 'demo:stall', timeouts: { totalMs: 500 } }),
  stalled: ran({ prompt: 'demo:stall', timeouts: { idleMs: 300 } }),
  consumer_stalled: async () => {
    const run = demoWorld().start('demo:flood=50000', { timeouts: { consumerMs: 200 } });
    const events = run[Symbol.asyncIterator]();
    await events.next();
    await expect.poll(() => run.result.then(({ error }) => error?.code)).toBe('consumer_stalled');
    return (await run.result).error?.code;
  },
  interrupted: recorded('claude', '70'),
  agent_crashed: ran({ prompt: 'demo:crash' }),
  agent_failed: ran({ prompt: 'demo:fail' }),
  output_truncated: async () => {
    const { lines } = recording('claude', '05');
    const cut = { lines: lines.slice(0, 5), end: { code: 0, stderr: '' } };
    return replayed({ id: 'claude-cli', label: 'Claude' }, claudeDialects, cut).result.error?.code;
  },
  output_unreadable: ran({}, () => demoWorld('exit 0').backend),
  schema_mismatch: ran({ prompt: 'demo:garbage', outputSchema: { type: 'object' } }),
  budget_exceeded: recorded('claude', '34'),
  max_turns: recorded('claude', '13'),
  internal: ran({}, brokenBackend),
  no_resources: async () => spawnError({ code: 'EMFILE' }, { file: '/x', args: [], cwd: '/' }).code,
};

const DIALECTS = { claude: claudeDialects, codex: codexDialects, openclaw: [openClawFormat] };

/** Produced by the real agents only; the tests `*.agents.test.ts` of their backends show it. */
const BY_REAL_AGENTS: readonly ErrorCode[] = [
  'network_unreachable',
  'session_busy',
  'mcp_failed',
  'output_limit',
];

/** Produced by chains; the tests of their engine show it. */
const BY_CHAINS: readonly ErrorCode[] = ['iterations_exhausted'];

/** The code of `baton backends install`, which its own tests cover. */
const BY_THE_COMMAND: readonly ErrorCode[] = ['install_failed'];
/** Produced by what keeps and serves sessions; the tests of the store and the daemon show it. */
const BY_THE_DAEMON: readonly ErrorCode[] = [
  'conflict',
  'daemon_unreachable',
  'forbidden',
  'lease_lost',
  'not_found',
  'store_unavailable',
  'store_damaged',
  'too_many_requests',
  'unauthenticated',
];

/** Produced by workspaces; their tests and `e2e/workspaces.test.ts` show it. */
const BY_WORKSPACES: readonly ErrorCode[] = [
  'git_failed',
  'setup_failed',
  'cleanup_failed',
  'too_large',
];

describe('every error code', () => {
  test('is produced by a recording or a run', () => {
    const known = [
      ...Object.keys(PRODUCERS),
      ...BY_REAL_AGENTS,
      ...BY_CHAINS,
      ...BY_THE_COMMAND,
      ...BY_THE_DAEMON,
      ...BY_WORKSPACES,
    ].sort();
    expect(known).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test.for(Object.entries(PRODUCERS))('%s comes about', async ([code, produce]) => {
    expect(await produce()).toBe(code);
  });
});

function thrown(act: () => unknown): Producer {
  return async () => {
    try {
      await act();
    } catch (error) {
      if (BatonError.is(error)) return error.code;
    }
    return undefined;
  };
}

function ran(
  request: Partial<Parameters<ReturnType<typeof demoBackend>['run']>[0]>,
  backend = () => demoBackend(),
): Producer {
  return async () => {
    const { cwd } = demoWorld();
    const run = backend().run({
      prompt: 'Hi',
      cwd,
      env: { HOME: cwd },
      providerOptions: { pace: 0 },
      ...request,
    });
    return (await finish(run)).result.error?.code;
  };
}

function recorded(agent: keyof typeof DIALECTS, name: string): Producer {
  return async () =>
    replayed({ id: agent, label: agent }, DIALECTS[agent], recording(agent, name)).result.error
      ?.code;
}

/** A backend with a mistake in it. */
function brokenBackend() {
  return defineBackend({
    id: 'broken',
    label: 'Broken',
    install: '',
    capabilities: demoCapabilities,
    settingsPaths: ['.broken'],
    providerOptions: { pace: { schema: {}, fits: () => true, what: 'anything' } },
    binary: { command: process.execPath, version: '1' },
    credentials: () => ({ credentials: 'not_needed' }),
    drivers: [
      {
        transport: 'live',
        keepsProcess: true,
        stop: DEFAULT_STOP,
        launch: () => {
          throw new Error('a mistake');
        },
        dialect: () => {
          throw new Error('a mistake');
        },
      },
    ],
  })();
}
