import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findOrphans, sweepOrphans } from './orphans.ts';
import { canVerify } from './process-table.ts';
import { isRunning, temporaryFolder, writeProgram } from './testing.ts';

/** A program that has an agent, which has a daemon in a session of its own. */
async function owner(more: object = {}) {
  // Every program of the same home looks for orphans, and others start all the time.
  vi.stubEnv('HOME', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  const runId = randomUUID();
  const index = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const source = `
    import { AgentProcess } from ${index};
    const { promise, resolve } = Promise.withResolvers();
    const agent = await AgentProcess.spawn({
      file: '/bin/sh',
      args: ['-c', '(setsid sh -c "echo \\\\$\\\\$; exec sleep 60" &); exec sleep 60'],
      cwd: '/', env: process.env, runId: '${runId}', stdin: 'none', onLine: resolve,
      ...${JSON.stringify(more)},
    });
    console.log(JSON.stringify([agent.pid, Number(await promise)]));
    setInterval(() => {}, 1000);
  `;
  const file = writeProgram(join(temporaryFolder(), 'owner.mjs'), source);
  const child: ChildProcess = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout ?? process.stdin, 'data');
  const pids: number[] = JSON.parse(String(line));
  onTestFinished(() => {
    child.kill('SIGKILL');
    for (const pid of pids.filter((each) => isRunning(String(each)))) process.kill(pid, 'SIGKILL');
  });
  const found = () => findOrphans().filter((each) => each.runId === runId.replaceAll('-', '_'));
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pids, found, kill };
}

test.runIf(canVerify)('what a killed program left is found and ended', async () => {
  const { pids, found, kill } = await owner();
  expect(found()).toEqual([]);
  await kill();
  const [orphan] = found();
  expect(orphan?.processes.map(({ pid }) => pid).toSorted()).toEqual(pids.toSorted());
  const { killed } = await sweepOrphans();
  expect(killed).toBeGreaterThanOrEqual(2);
  expect(pids.filter((pid) => isRunning(String(pid)))).toEqual([]);
  expect(found()).toEqual([]);
});

test.runIf(canVerify)('what may outlive its program is never taken for an orphan', async () => {
  const { pids, found, kill } = await owner({ mayOutlive: true });
  await kill();
  expect(found()).toEqual([]);
  expect(pids.filter((pid) => isRunning(String(pid)))).toEqual(pids);
});
