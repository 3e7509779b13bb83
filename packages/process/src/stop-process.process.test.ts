import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { endTools } from './end-tools.ts';
import { canVerify, survivors } from './process-table.ts';
import { killLeftovers, type LadderStep, signalStep, stopProcess } from './stop-process.ts';
import { isRunning, launchShell, printed } from './testing.ts';

/** Longer than any test may take: a ladder that waits it out fails by the time limit of the test. */
const FOREVER = 600_000;

describe.runIf(canVerify)('stopProcess', () => {
  test('an agent that ends at SIGINT is not asked further and not killed', async () => {
    const launched = await launchShell('trap "exit 5" INT; echo up; while :; do sleep 0.02; done');
    await printed(launched, 1);
    const { process } = launched;
    const report = await stopProcess({
      process,
      steps: [signalStep(process, 'SIGINT', FOREVER), signalStep(process, 'SIGTERM', FOREVER)],
    });
    expect(report.state).toBe('stopped');
    expect(report.steps[0]).toMatchObject({ step: 'SIGINT' });
    expect(report.steps.map(({ step }) => step)).not.toContain('SIGTERM');
    expect(await process.exited).toEqual({ code: 5, signal: null });
    expect(report.acknowledgedAt).toBeGreaterThanOrEqual(report.requestedAt);
    expect(report.stoppedAt).toBeGreaterThanOrEqual(report.acknowledgedAt ?? Infinity);
  });

  test('an agent that ignores every signal is killed', async () => {
    const launched = await launchShell('trap "" INT TERM; echo up; while :; do sleep 0.02; done');
    await printed(launched, 1);
    const { process } = launched;
    const report = await stopProcess({
      process,
      steps: [signalStep(process, 'SIGINT', 30), signalStep(process, 'SIGTERM', 30)],
    });
    expect(report.state).toBe('stopped');
    expect(report.acknowledgedAt).toBeUndefined();
    expect(report.killed).toBeGreaterThanOrEqual(1);
    expect(report.steps.map(({ step }) => step)).toEqual(['SIGINT', 'SIGTERM', 'kill']);
    expect(await process.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('an agent that has acknowledged a step gets its time to exit', async () => {
    const { process } = await launchShell('read go; exit 7', { stdin: 'pipe' });
    const interrupt: LadderStep = {
      step: 'interrupt',
      waitMs: 0,
      act: () => process.endStdin(),
      acknowledged: { promise: Promise.resolve(), exitMs: FOREVER },
    };
    const steps = [interrupt, signalStep(process, 'SIGINT', FOREVER)];
    const report = await stopProcess({ process, steps });
    expect(report.steps.map(({ step }) => step)).toEqual(['interrupt']);
    expect(await process.exited).toEqual({ code: 7, signal: null });
  });

  test('an agent that has acknowledged nothing does not', async () => {
    const launched = await launchShell('trap "exit 5" INT; echo up; while :; do sleep 0.02; done');
    await printed(launched, 1);
    const { process } = launched;
    const interrupt: LadderStep = {
      step: 'interrupt',
      waitMs: 0,
      act: () => {},
      acknowledged: { promise: new Promise(() => {}), exitMs: FOREVER },
    };
    const steps = [interrupt, signalStep(process, 'SIGINT', FOREVER)];
    const report = await stopProcess({ process, steps });
    expect(report.steps.map(({ step }) => step)).toEqual(['interrupt', 'SIGINT']);
  });

  test('tools in separate sessions die with the agent that left them', async () => {
    const launched = await launchShell(
      'trap "exit 0" TERM; setsid sh -c "sleep 60 & echo \\$\\$; wait" & wait',
    );
    const [tool] = await printed(launched, 1);
    const { process } = launched;
    const report = await stopProcess({ process, steps: [signalStep(process, 'SIGTERM', FOREVER)] });
    expect(report).toMatchObject({ state: 'stopped', killed: 2 });
    expect(isRunning(tool)).toBe(false);
  });

  test('a daemon that forked twice, changed its session and lost its parent dies', async () => {
    const daemon =
      'setsid sh -c "(setsid sh -c \\"echo \\\\\\$\\\\\\$; exec sleep 60\\" &) ; exit 0"';
    // Those between the agent and the daemon have exited when the agent says so.
    const launched = await launchShell(`${daemon}; echo up; exec sleep 60`);
    const pid = (await printed(launched, 2)).find((line) => line !== 'up');
    expect(isRunning(pid)).toBe(true);
    const { process } = launched;
    const report = await stopProcess({ process, steps: [] });
    expect(report).toMatchObject({ state: 'stopped', killed: 2 });
    expect(isRunning(pid)).toBe(false);
  });

  test('a child without the marker dies, although it outlives its parent in another session', async () => {
    const launched = await launchShell(
      'trap "exit 0" TERM; env -i /usr/bin/setsid sh -c "echo \\$\\$; exec sleep 60" & wait',
    );
    const [tool] = await printed(launched, 1);
    const { process } = launched;
    const report = await stopProcess({ process, steps: [signalStep(process, 'SIGTERM', FOREVER)] });
    expect(report).toMatchObject({ state: 'stopped', killed: 1 });
    expect(isRunning(tool)).toBe(false);
  });

  test('a group that keeps forking is killed', async () => {
    const fork = 'while :; do (setsid sh -c "sleep 5; :" &); echo forked; sleep 0.002; done';
    const launched = await launchShell(`${fork} & ${fork} & wait`);
    await printed(launched, 20);
    const { process } = launched;
    const report = await stopProcess({ process, steps: [] });
    expect(report.state).toBe('stopped');
    expect(survivors(process, { includeAgent: true })).toEqual([]);
  });

  test('force jumps to the kill in the middle of a step', async () => {
    const launched = await launchShell('trap "" INT; echo up; while :; do sleep 0.02; done');
    await printed(launched, 1);
    const { process } = launched;
    const force = new AbortController();
    const interrupt = signalStep(process, 'SIGINT', FOREVER);
    const report = await stopProcess({
      process,
      steps: [
        {
          ...interrupt,
          act: () => {
            setImmediate(() => force.abort());
            return interrupt.act();
          },
        },
        signalStep(process, 'SIGTERM', FOREVER),
      ],
      force: force.signal,
    });
    expect(report.steps.map(({ step }) => step)).toEqual(['SIGINT', 'kill']);
    expect(report.state).toBe('stopped');
  });

  test('a force requested before skips every step', async () => {
    const { process } = await launchShell('exec sleep 60');
    const report = await stopProcess({
      process,
      steps: [signalStep(process, 'SIGINT', FOREVER)],
      force: AbortSignal.abort(),
    });
    expect(report.steps.map(({ step }) => step)).toEqual(['kill']);
  });

  test('an agent that exits during a step ends the wait', async () => {
    const { process } = await launchShell('read go', { stdin: 'pipe' });
    const act = () => process.endStdin();
    const steps: LadderStep[] = [{ step: 'interrupt', waitMs: FOREVER, act }];
    const report = await stopProcess({ process, steps });
    expect(report).toMatchObject({ state: 'stopped', killed: 0 });
    expect(report.steps.map(({ step }) => step)).toEqual(['interrupt']);
  });

  test('steps that do not apply or throw are left out without waiting', async () => {
    const { process } = await launchShell('exec sleep 60');
    const report = await stopProcess({
      process,
      steps: [
        { step: 'no', waitMs: FOREVER, act: () => false },
        {
          step: 'broken',
          waitMs: FOREVER,
          act: () => {
            throw new Error('broken');
          },
        },
        signalStep(process, 'SIGTERM', FOREVER),
      ],
    });
    expect(report.steps.map(({ step }) => step)).toEqual(['SIGTERM']);
  });

  test('an agent that is gone already has nothing to stop', async () => {
    const { process } = await launchShell('true');
    await process.closed;
    const report = await stopProcess({ process, steps: [signalStep(process, 'SIGINT', FOREVER)] });
    expect(report).toMatchObject({ state: 'stopped', steps: [], killed: 0 });
  });

  test('two stops at once both end', async () => {
    const { process } = await launchShell('exec sleep 60');
    const steps = [signalStep(process, 'SIGTERM', FOREVER)];
    const reports = await Promise.all([1, 2].map(() => stopProcess({ process, steps })));
    expect(reports.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  test('processes that do not die are named, and nothing is claimed', async () => {
    const { process: agent } = await launchShell('exec sleep 60');
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const report = await stopProcess({ process: agent, steps: [] });
    kill.mockRestore();
    expect(report).toMatchObject({ state: 'unverified', killed: 0 });
    expect(report.reason).toContain(String(agent.pid));
    expect(report.stoppedAt).toBeUndefined();
  });

  test('leaves another agent alone', async () => {
    const { process: other } = await launchShell('exec sleep 60');
    const { process } = await launchShell('exec sleep 60');
    await stopProcess({ process, steps: [] });
    expect(isRunning(other.pid)).toBe(true);
  });
});

describe.runIf(canVerify)('after a normal exit', () => {
  test('what stayed in the group is ended', async () => {
    const launched = await launchShell('sleep 60 >/dev/null 2>&1 & echo $!; exit 0');
    const { process, lines } = launched;
    await process.closed;
    expect(isRunning(lines[0])).toBe(true);
    expect(await killLeftovers(process)).toEqual({ killed: 1, remaining: 0 });
    expect(isRunning(lines[0])).toBe(false);
  });
});

describe.runIf(canVerify)('endTools', () => {
  test('ends newer processes, and leaves the agent and older ones running', async () => {
    const launched = await launchShell(
      'sleep 60 & echo $!; read go; sleep 60 & echo $!; setsid sleep 60 & echo up; wait',
      { stdin: 'pipe' },
    );
    const [older] = await printed(launched, 1);
    await delay(50);
    const since = Date.now();
    launched.process.write('go\n');
    const [, younger] = await printed(launched, 3);
    const result = await endTools(launched.process, since);
    expect(result).toEqual({ killed: 2, remaining: 0 });
    expect(isRunning(younger)).toBe(false);
    expect(isRunning(older)).toBe(true);
    expect(launched.process.alive()).toBe(true);
  });
});
