import { beforeEach, describe, expect, test } from 'vitest';
import type { HookName } from '../config/load-config.ts';
import { HookManager, type HookProcess, type StartHook } from './hook-manager.ts';

type Started = { command: string; variables: Readonly<Record<string, string>> };

let started: Started[];
let warnings: string[];
let stops: number;
beforeEach(() => {
  started = [];
  warnings = [];
  stops = 0;
});

const log = { warn: (warning: string) => void warnings.push(warning) };
/** A timeout that never comes. */
const never = () => new Promise<boolean>(() => {});

function starting(process: Partial<HookProcess>): StartHook {
  return async (command, variables) => {
    started.push({ command, variables });
    return {
      exited: Promise.resolve({ code: 0, signal: null }),
      stderr: '',
      stop: async () => {
        stops += 1;
      },
      ...process,
    };
  };
}

function manager(start: StartHook, sleep: () => Promise<boolean> = never): HookManager {
  const hooks: Partial<Record<HookName, string>> = { beforeRun: 'notify --start' };
  return new HookManager(hooks, { start, log, sleep, timeoutMs: 1000 });
}

describe('HookManager', () => {
  test('runs the command of a hook with the facts as variables', async () => {
    await manager(starting({})).run('beforeRun', { channelId: 'test:1', userId: 'test:me' });
    expect(started).toEqual([
      {
        command: 'notify --start',
        variables: {
          BATON_HOOK: 'beforeRun',
          BATON_CHANNEL_ID: 'test:1',
          BATON_USER_ID: 'test:me',
        },
      },
    ]);
    expect(stops, 'what the command left running is ended').toBe(1);
    expect(warnings).toEqual([]);
  });

  test('does nothing for a hook without a command', async () => {
    await manager(starting({})).run('shutdown');
    expect(started).toEqual([]);
  });

  test('logs a failing command', async () => {
    const exited = Promise.resolve({ code: 3, signal: null });
    await manager(starting({ exited, stderr: 'no network\n' })).run('beforeRun');
    expect(warnings).toEqual(['Hook beforeRun failed: exit code 3: no network']);
  });

  test('logs a command that a signal ended', async () => {
    const exited = Promise.resolve({ code: null, signal: 'SIGKILL' });
    await manager(starting({ exited })).run('beforeRun');
    expect(warnings).toEqual(['Hook beforeRun failed: signal SIGKILL']);
  });

  test('stops a command that takes too long', async () => {
    const hanging = starting({ exited: new Promise(() => {}) });
    await manager(hanging, async () => true).run('beforeRun');
    expect(stops).toBe(1);
    expect(warnings).toEqual([
      'Hook beforeRun failed: it took longer than 1000 ms and was stopped',
    ]);
  });

  test('logs a command that cannot be started or stopped', async () => {
    await manager(() => Promise.reject(new Error('no shell'))).run('beforeRun');
    const stop = () => Promise.reject(new Error('cannot stop'));
    await manager(starting({ stop })).run('beforeRun');
    expect(warnings).toEqual([
      'Hook beforeRun failed: no shell',
      'Hook beforeRun failed: cannot stop',
    ]);
  });
});
