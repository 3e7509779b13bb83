import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning, temporaryFolder, writeProgram } from './testing.ts';
import { canVerify, survivors } from './tree.ts';

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

/** Runs a program that starts an agent with a daemon, and tells what is left of them when it has exited. */
async function runProgram(
  body: string,
  more: object = {},
): Promise<{ pids: string[]; left: unknown[] }> {
  const runId = randomUUID();
  const source = `
    import { AgentProcess } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
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
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [file], (_error, output) => resolve(output));
  });
  const marker = `BATON_RUN_${runId.replaceAll('-', '_')}`;
  const left = survivors({ pid: 2 ** 22 + 1, startTicks: 0, marker });
  return { pids: stdout.split(/\s+/).filter(Boolean), left };
}
