import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { operatedApart } from '../testing/operated.ts';
import { serveIn } from '../testing/served.ts';

/** Runs a long task through a daemon. */
async function begun() {
  const daemon = await operatedApart();
  const args = ['run', '--daemon', 'auto', '-b', 'demo', 'demo:stall'];
  const child = daemon.world.start({ args });
  child.stdin.end();
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const says = (words: string) => vi.waitFor(() => expect(said).toContain(words), 20_000);
  const end = once(child, 'close').then(([code]) => code);
  const task = await vi.waitFor(async () => {
    const [found] = (await daemon.client.tasks.find({ status: 'RUNNING' })).data;
    if (!found) throw new Error('There is no task yet.');
    return found;
  }, 20_000);
  await daemon.has(task, 'text');
  return { ...daemon, child, end, says, task, said: () => said };
}

/** Runs a long task through a daemon, which then is gone. */
async function abandoned() {
  const run = await begun();
  const { served, folder, task } = run;
  const gone = once(served.child, 'exit');
  served.child.kill('SIGKILL');
  await gone;
  await run.says('Lost connection to the daemon');
  const comeBack = () => serveIn(folder, Number(new URL(served.url).port));
  return { ...run, comeBack, notTold: `later with "baton stop ${task.task_id.slice(0, 8)}"` };
}

test('a stop reaches a daemon that was away', async () => {
  const { child, comeBack, ended, end, says, said, task } = await abandoned();
  child.kill('SIGINT');
  await says('Stopping.');
  await comeBack();
  expect(await ended(task)).toMatchObject({ status: 'CANCELLED' });
  expect(await end).toBe(130);
  expect(said()).not.toContain('was closed');
});

test('detaching while the daemon is away says that the task keeps running', async () => {
  const { child, comeBack, end, says, said, notTold, ok, task } = await abandoned();
  child.kill('SIGINT');
  await says('Stopping.');
  child.kill('SIGINT');
  expect(await end).toBe(130);
  expect(said()).toContain(notTold);
  await comeBack();
  await ok('stop', task.task_id);
});

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends a run although its daemon is away',
  async (signal) => {
    const { child, comeBack, end, said, notTold, ok, task } = await abandoned();
    child.kill(signal);
    expect(await end).toBe(130);
    expect(said()).toContain(notTold);
    await comeBack();
    await ok('stop', task.task_id);
  },
  60_000,
);

test('Ctrl-C stops a task, and the command ends with it', async () => {
  const { child, end, ended, said, task } = await begun();
  child.kill('SIGINT');
  expect(await end).toBe(130);
  expect(await ended(task)).toMatchObject({ status: 'CANCELLED' });
  expect(said()).not.toContain('Stopped');
});

test('waiting for a task that someone else stops reports who and why', async () => {
  const { end, says, said, client, task } = await begun();
  const { session_id, task_id: taskId } = task;
  await client.sessions.stopTask(session_id, { task_id: taskId, reason: 'Not on a Friday.' });
  expect(await end).toBe(130);
  await says('Stopped by owner: Not on a Friday.');
  expect(said()).not.toContain('error');
});

test('waiting for a task whose daemon is stopped reports that', async () => {
  const { end, says, served } = await begun();
  served.child.kill('SIGTERM');
  expect(await end).toBe(130);
  await says('Stopped: The daemon was stopped.');
});

test('an answer reaches a daemon that was away at the time', async () => {
  const { world, served, folder, inbox, ended, client } = await operatedApart();
  const args = ['run', '--daemon', 'auto', '-b', 'demo', 'demo:script [{"shell":"echo hi"}]'];
  const terminal = world.terminal({ args, env: { NO_COLOR: '1' } });
  await terminal.until('[d] details');
  const [request] = await inbox();
  const gone = once(served.child, 'exit');
  served.child.kill('SIGKILL');
  await gone;
  await terminal.until('\nLost connection to the daemon');
  await terminal.until('[d] details');
  terminal.type('y');
  await serveIn(folder, Number(new URL(served.url).port));
  await terminal.until('Reconnected.');
  await terminal.until('✓ done');
  expect((await terminal.end()).code).toBe(0);
  const task = await client.tasks.get(request?.task_id ?? '');
  expect(await ended(task)).toMatchObject({ status: 'COMPLETED' });
});
