import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent, EventType, StopReport } from '@baton/protocol';
import type { AgentRun } from '../../backend.ts';
import type { ConformanceCase, ConformanceSubject, ScriptStep } from '../subject.ts';
import { assertNothingSurvives, finish, inWorld, type Stage } from '../tools.ts';

const LONG: ScriptStep[] = [{ shell: 'touch began.txt; sleep 60' }, { say: 'Slept.' }];
const allow = () => ({ decision: 'allow' }) as const;

/** A stop ends everything, whenever it comes. */
export function stoppingCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features } = subject.backend.capabilities;
  const stopAt = (
    name: string,
    type: EventType,
    steps: ScriptStep[],
    skip?: string,
  ): ConformanceCase => ({
    name: `cancel ${name}: nothing survives`,
    skip,
    run: () =>
      inWorld(subject, async (stage) => {
        const waits = type === 'permission.requested';
        const run = stage.start(steps, {
          permissionMode: 'ask',
          ...(waits ? {} : { onRequest: allow }),
        });
        let stop: Promise<StopReport> | undefined;
        const { result } = await finish(run, (event) => {
          if (event.type === type) stop ??= run.cancel();
        });
        assertStopped(result.outcome, await stop);
      }),
  });
  return [
    {
      name: 'cancel before anything has started: nothing survives',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG);
          const report = await run.cancel();
          assert.equal(report.state, 'stopped');
          const { result } = await finish(run);
          assert.equal(result.outcome, 'cancelled');
          assert.equal(existsSync(join(stage.cwd, 'began.txt')), false);
        }),
    },
    stopAt('while it starts', 'run.started', [
      { say: 'Hello there, how are you?' },
      { hang: true },
    ]),
    stopAt('once the session is named', 'run.identified', [{ hang: true }]),
    stopAt('while it speaks', 'message.delta', [
      { say: 'Hello there, how are you?' },
      { hang: true },
    ]),
    stopAt(
      'while it waits for permission',
      'permission.requested',
      LONG,
      features.permissions ? undefined : 'the agent cannot ask',
    ),
    {
      name: 'cancel in the middle of a command: nothing survives',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG, { onRequest: allow });
          const stop = whenBegun(stage).then(() => run.cancel());
          const { result } = await finish(run);
          assertStopped(result.outcome, await stop);
        }),
    },
    {
      name: 'cancel after the end changes nothing',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start([{ say: 'Done already.' }]);
          const { result } = await finish(run);
          const report = await run.cancel();
          assert.equal(report.state, 'stopped');
          assert.equal((await run.result).outcome, result.outcome);
        }),
    },
    {
      name: 'an abort signal cancels',
      run: () =>
        inWorld(subject, async (stage) => {
          const abort = new AbortController();
          const run = stage.start(LONG, { onRequest: allow, signal: abort.signal });
          void whenBegun(stage).then(() => abort.abort());
          const { result } = await finish(run);
          assert.equal(result.outcome, 'cancelled');
        }),
    },
    {
      name: 'a run that takes too long is stopped, with nothing left of it',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG, { onRequest: allow, timeouts: { totalMs: 6000 } });
          const { result } = await finish(run);
          assert.equal(result.outcome, 'timed_out');
          assert.equal(result.error?.code, 'timed_out');
          assert.equal(result.stop?.state, 'stopped');
        }),
    },
    {
      name: 'an agent that falls silent is stopped as stalled',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start([{ say: 'I was here.' }, { hang: true }], {
            timeouts: { idleMs: 3000 },
          });
          const { result } = await finish(run);
          assert.equal(result.outcome, 'timed_out');
          assert.equal(result.error?.code, 'stalled');
        }),
    },
    {
      name: 'an error thrown while reading the events leaves nothing behind',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG, { onRequest: allow });
          await assert.rejects(
            readUntil(run, 'tool.started', new Error('the consumer failed')),
            /the consumer failed/,
          );
          assertNothingSurvives(run.runId);
          assert.equal((await run.result).outcome, 'cancelled');
        }),
    },
    {
      name: 'a conversation goes on after one of its runs was cancelled',
      run: () =>
        inWorld(subject, async (stage) => {
          const conversation = await subject.backend.open(stage.options({ onRequest: allow }));
          const run = conversation.run(subject.prompt(LONG));
          void whenBegun(stage).then(() => run.cancel());
          for await (const _event of run);
          assert.equal((await run.result).outcome, 'cancelled');
          const next = await conversation.run(subject.prompt([{ say: 'Still here.' }])).result;
          assert.equal(next.outcome, 'done', JSON.stringify(next.error));
          assert.equal(next.output, 'Still here.');
          const report = await conversation.close();
          assert.equal(report.state, 'stopped');
          assertNothingSurvives(run.runId);
        }),
    },
  ];
}

function assertStopped(outcome: string, report: StopReport | undefined): void {
  assert.equal(outcome, 'cancelled');
  assert.equal(report?.state, 'stopped', JSON.stringify(report));
  assert.ok(report.stoppedAt !== undefined && report.stoppedAt >= report.requestedAt);
}

/** Waits until the command of `LONG` is running. */
async function whenBegun(stage: Stage): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (existsSync(join(stage.cwd, 'began.txt'))) return;
    await sleep(50);
  }
  throw new Error('The command never began.');
}

async function readUntil(run: AgentRun, type: AgentEvent['type'], error: Error): Promise<void> {
  for await (const event of run) if (event.type === type) throw error;
}
