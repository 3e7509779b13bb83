import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentRun } from '@baton/engine/definition/backend';
import type { AgentEvent, EventType, StopReport } from '@baton/protocol/values';
import {
  all,
  assertNothingSurvives,
  capabilitiesOf,
  finish,
  inWorld,
  lacking,
  type Stage,
} from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject, ScriptStep } from '../stage/subject.ts';

const LONG: ScriptStep[] = [{ shell: 'touch began.txt; sleep 60' }, { say: 'Slept.' }];
const HELLO: ScriptStep[] = [{ say: 'Hello there, how are you?' }, { hang: true }];
const allow = () => ({ decision: 'allow' }) as const;

/** A stop ends everything, whenever it comes. */
export function stoppingCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features, permissionModes } = capabilitiesOf(subject);
  const noShell = lacking(subject, 'shell');
  const noHang = lacking(subject, 'hang');
  // Nobody can tell what a tool left running where Baton cannot look.
  const afterTool = subject.runsElsewhere ? 'unverified' : 'stopped';
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
          ...(permissionModes.includes('ask') ? { permissionMode: 'ask' } : {}),
          ...(waits ? {} : { onRequest: allow }),
        });
        let stop: Promise<StopReport> | undefined;
        const { result } = await finish(run, (event) => {
          if (event.type === type) stop ??= run.cancel();
        });
        assertStopped(result.outcome, await stop, waits ? afterTool : 'stopped');
      }),
  });
  return [
    {
      name: 'cancel before anything has started: nothing survives',
      skip: noShell,
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
    stopAt('while it starts', 'run.started', HELLO, noHang),
    stopAt(
      'once the session is named',
      'run.identified',
      // Some agents name it only when the model begins to answer.
      HELLO,
      features.resume ? noHang : 'its sessions have no names',
    ),
    stopAt(
      'while it speaks',
      'message.delta',
      HELLO,
      features.streaming ? noHang : 'its words come as a whole',
    ),
    stopAt(
      'while it waits for permission',
      'permission.requested',
      LONG,
      features.permissions ? noShell : 'the agent cannot ask',
    ),
    {
      name: 'cancel in the middle of a command: nothing survives',
      skip: noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG, { onRequest: allow });
          const stop = onceBegun(stage, run, () => run.cancel());
          const { events, result } = await finish(run);
          assertStopped(result.outcome, await stop, afterTool);
          const outcomes = all(events, 'tool.completed').map(({ outcome }) => outcome);
          // An agent that tells of a tool when it has ended may not have told of it at all.
          if (outcomes.length > 0) assert.deepEqual(outcomes, ['cancelled']);
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
      skip: noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          const abort = new AbortController();
          const run = stage.start(LONG, { onRequest: allow, signal: abort.signal });
          const aborted = onceBegun(stage, run, async () => abort.abort());
          const { result } = await finish(run);
          await aborted;
          assert.equal(result.outcome, 'cancelled');
        }),
    },
    {
      name: 'a run that takes too long is stopped, with nothing left of it',
      proves: ['timeouts'],
      skip: noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start(LONG, { onRequest: allow, timeouts: { totalMs: 6000 } });
          const { result } = await finish(run);
          assert.equal(result.outcome, 'timed_out');
          assert.equal(result.error?.code, 'timed_out');
          assert.equal(result.stop?.state, afterTool);
          if (afterTool === 'unverified') assert.match(result.stop?.reason ?? '', /cannot see/);
        }),
    },
    {
      name: 'an agent that falls silent is stopped as stalled',
      skip: noHang,
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
      skip: noShell,
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
      skip: noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          const conversation = await subject.backend.open(stage.options({ onRequest: allow }));
          const run = conversation.run(subject.prompt(LONG));
          const cancelled = onceBegun(stage, run, () => run.cancel());
          for await (const _event of run);
          await cancelled;
          assert.equal((await run.result).outcome, 'cancelled');
          const next = await conversation.run(subject.prompt([{ say: 'Still here.' }])).collect();
          assert.equal(next.outcome, 'done', JSON.stringify(next.error));
          assert.equal(next.output, 'Still here.');
          const report = await conversation.close();
          assert.equal(report.state, 'stopped');
          assertNothingSurvives(run.runId);
        }),
    },
  ];
}

function assertStopped(
  outcome: string,
  report: StopReport | undefined,
  state: StopReport['state'] = 'stopped',
): void {
  assert.equal(outcome, 'cancelled');
  assert.equal(report?.state, state, JSON.stringify(report));
  assert.ok(report.stoppedAt !== undefined && report.stoppedAt >= report.requestedAt);
}

/** Acts when the command of `LONG` is running; the case that awaits it fails when that never is. */
function onceBegun<Value>(stage: Stage, run: AgentRun, act: () => Promise<Value>): Promise<Value> {
  const acted = whenBegun(stage, run).then(act);
  // A run that fails before is what the case reports.
  acted.catch(() => {});
  return acted;
}

async function whenBegun(stage: Stage, run: AgentRun): Promise<void> {
  let isOver = false;
  void run.result.then(() => {
    isOver = true;
  });
  while (!existsSync(join(stage.cwd, 'began.txt'))) {
    if (isOver) throw new Error('The run ended before its command began.');
    await sleep(50);
  }
}

async function readUntil(run: AgentRun, type: AgentEvent['type'], error: Error): Promise<void> {
  for await (const event of run) if (event.type === type) throw error;
}
