import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canVerify, survivors } from './process-table.ts';
import { isRunning, temporaryFolder, writeProgram } from './testing.ts';

test.runIf(canVerify)(
  'a program that exits takes its agents and their daemons with it',
  async () => {
    const { pids, left } = await runProgram(`
    const agent = await started;
    console.log(agent.pid, await daemon);
    process.exit(0);
  `);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(left).toEqual([]);
  },
);

test.runIf(canVerify)(
  'a program that exits at once takes with it what it has just started',
  async () => {
    const { left } = await runProgram('process.exit(0);');
    expect(left).toEqual([]);
  },
);

test.runIf(canVerify)('a program that dies of an error takes its agents with it', async () => {
  const { pids, left } = await runProgram(`
    const agent = await started;
    console.log(agent.pid, await daemon);
    setImmediate(() => { throw new Error('died'); });
  `);
  expect(pids.filter(isRunning)).toEqual([]);
  expect(left).toEqual([]);
});

test.runIf(canVerify)(
  'what may outlive a program lives on when that dies of an error',
  async () => {
    const { pids } = await runProgram(
      `
    const agent = await started;
    console.log(agent.pid, await daemon);
    setImmediate(() => { throw new Error('died'); });
  `,
      { mayOutlive: true },
    );
    expect(pids.filter(isRunning)).toEqual(pids);
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
  },
);

describe.runIf(canVerify)('a signal that ends a program', () => {
  const READY = `
    const agent = await started;
    console.log(agent.pid, await daemon);
  `;
  const raise = (signal: string) => `process.kill(process.pid, '${signal}');`;

  test.each(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'])(
    '%s kills its agents, and ends the program as before',
    async (signal) => {
      const { pids, left, died } = await runProgram(READY + raise(signal));
      expect(pids).toHaveLength(2);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(left).toEqual([]);
      expect(died).toBe(signal);
    },
  );

  test('does not, when the program handles it itself', async () => {
    const { output, left } = await runProgram(`
      ${READY}
      process.on('SIGTERM', () => {
        console.log(agent.alive());
        process.exit(0);
      });
      ${raise('SIGTERM')}
    `);
    expect(output).toContain('true');
    expect(left).toEqual([]);
  });

  test('does not, when the program handles it once', async () => {
    const { output } = await runProgram(`
      process.once('SIGTERM', () => setImmediate(() => {
        console.log('flushed', agent.alive());
        process.exit(0);
      }));
      ${READY}
      ${raise('SIGTERM')}
    `);
    expect(output).toContain('flushed true');
  });

  test('does not, if a library listens and the program handles it', async () => {
    const { output } = await runProgram(`
      ${READY}
      globalThis[Symbol.for('signal-exit emitter')] = { count: 1 };
      process.on('SIGTERM', () => {});
      process.on('SIGTERM', () => {
        console.log('handled', agent.alive());
        process.exit(0);
      });
      ${raise('SIGTERM')}
    `);
    expect(output).toContain('handled true');
  });

  test('is not held up by a library that listens to clean up', async () => {
    const { left, died } = await runProgram(`
      ${READY}
      // As the package signal-exit does it.
      globalThis[Symbol.for('signal-exit emitter')] = { count: 1 };
      const listener = () => {
        if (process.listeners('SIGTERM').length > 1) return;
        process.off('SIGTERM', listener);
        process.kill(process.pid, 'SIGTERM');
      };
      process.on('SIGTERM', listener);
      ${raise('SIGTERM')}
    `);
    expect(died).toBe('SIGTERM');
    expect(left).toEqual([]);
  });

  test('finds no listener of Baton while no agent runs', async () => {
    const { output } = await runProgram(`
      const count = () => ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'].map((name) => process.listenerCount(name)).join('');
      const agent = await started;
      await daemon;
      console.log('with', count());
      await stopProcess({ process: agent, steps: [] });
      await agent.closed;
      console.log('without', count());
    `);
    expect(output).toContain('with 1111');
    expect(output).toContain('without 0000');
  });

  test('an unhandled rejection kills its agents too', async () => {
    const { pids, left } = await runProgram(`${READY} void Promise.reject(new Error('died'));`);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(left).toEqual([]);
  });
});

/** Runs a program that starts an agent with a daemon, and tells what is left of them when it has exited. */
async function runProgram(
  body: string,
  more: object = {},
): Promise<{ pids: string[]; left: unknown[]; output: string; died: string | undefined }> {
  const runId = randomUUID();
  const source = `
    import { AgentProcess, stopProcess } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const { promise: daemon, resolve } = Promise.withResolvers();
    const started = AgentProcess.spawn({
      file: '/bin/sh',
      args: ['-c', '(setsid sh -c "echo \\$\\$; exec sleep 60" &); exec sleep 60'],
      cwd: '/',
      env: process.env,
      runId: ${JSON.stringify(runId)},
      stdin: 'none',
      onLine: resolve,
      ...${JSON.stringify(more)},
    });
    ${body}
  `;
  const file = writeProgram(join(temporaryFolder(), 'program.mjs'), source);
  const { output, died } = await new Promise<{ output: string; died: string | undefined }>(
    (resolve) => {
      execFile(process.execPath, [file], (error, stdout) =>
        resolve({ output: stdout, died: error?.signal ?? undefined }),
      );
    },
  );
  const marker = `BATON_RUN_${runId.replaceAll('-', '_')}`;
  const left = survivors({ pid: 2 ** 22 + 1, startTicks: 0, marker });
  const pids = output.split(/\s+/).filter((word) => /^\d{2,}$/.test(word));
  return { pids, left, output, died };
}
