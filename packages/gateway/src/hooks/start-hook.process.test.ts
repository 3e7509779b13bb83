import { realpathSync } from 'node:fs';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isAlive, startTicksOf } from '@baton/process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HookProcess } from './hook-manager.ts';
import { startHook } from './start-hook.ts';

/** Starts a command that is ended, with all it started, when the test is over. */
async function started(
  command: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<HookProcess> {
  const hook = await startHook(command, variables);
  onTestFinished(() => hook.stop());
  return hook;
}

/** Waits until a hook has printed the id of a process. */
async function printedProcess(hook: HookProcess) {
  const pid = await vi.waitFor(() => {
    const [id] = /^\d+$/m.exec(hook.stderr) ?? [];
    if (id === undefined) throw new Error('no process id so far');
    return Number(id);
  });
  return { pid, startTicks: startTicksOf(pid) ?? 0 };
}

describe('startHook', () => {
  test('runs a command in a shell, with the variables and those of the gateway', async () => {
    const hook = await started('echo "$BATON_HOOK|$BATON_USER_ID|$PATH" >&2', {
      BATON_HOOK: 'beforeRun',
      BATON_USER_ID: 'test:$(id) "me"',
    });
    expect(await hook.exited).toEqual({ code: 0, signal: null });
    expect(hook.stderr).toBe(`beforeRun|test:$(id) "me"|${process.env.PATH}\n`);
  });

  test('runs it in the home folder', async () => {
    const hook = await started('pwd -P >&2');
    await hook.exited;
    expect(hook.stderr).toBe(`${realpathSync(homeFolder())}\n`);
  });

  test('gives it no input', async () => {
    const hook = await started('read line; echo "read: $?" >&2');
    await hook.exited;
    expect(hook.stderr).toBe('read: 1\n');
  });

  test('reports the exit code and the whole of stderr, but not stdout', async () => {
    const hook = await started('echo out; echo first >&2; printf last >&2; exit 3');
    expect(await hook.exited).toEqual({ code: 3, signal: null });
    expect(hook.stderr).toBe('first\nlast');
  });

  test('reports the signal that ended it', async () => {
    const hook = await started('kill -KILL $$');
    expect(await hook.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('stops a command that does not end', async () => {
    const hook = await started('echo $$ >&2; exec sleep 600');
    const child = await printedProcess(hook);
    await hook.stop();
    expect(await hook.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(isAlive(child)).toBe(false);
  });

  test('leaves nothing running of a command that started a background process', async () => {
    const hook = await started('sleep 600 & echo $! >&2');
    const child = await printedProcess(hook);
    expect(await hook.exited).toEqual({ code: 0, signal: null });
    expect(isAlive(child)).toBe(true);
    await hook.stop();
    expect(isAlive(child)).toBe(false);
  });

  // Others have no setsid.
  test.runIf(process.platform === 'linux')(
    'also ends a process in a session of its own',
    async () => {
      const hook = await started("setsid sh -c 'echo $$ >&2; exec sleep 600' & wait");
      const child = await printedProcess(hook);
      await hook.stop();
      expect(isAlive(child)).toBe(false);
    },
  );
});
