import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  all,
  assertDone,
  assertNothingSurvives,
  capabilitiesOf,
  inWorld,
  lacking,
} from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject } from '../stage/subject.ts';

const allow = () => ({ decision: 'allow' }) as const;

/** Tools start, do their work, and end with what came out of them. */
export function toolCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features } = capabilitiesOf(subject);
  const noShell = lacking(subject, 'shell');
  const noOutput = subject.hidesCommandOutput ? 'it does not tell what a command printed' : noShell;
  return [
    {
      name: 'shows a command with its output',
      skip: noOutput,
      run: () =>
        inWorld(subject, async (stage) => {
          const run = await stage.run(
            [{ shell: 'echo first-line > made.txt; cat made.txt' }, { say: 'Ran it.' }],
            {
              onRequest: allow,
            },
          );
          assertDone(run);
          const [tool] = all(run.events, 'tool.completed').filter(
            ({ action }) => action.type === 'command',
          );
          assert.ok(tool, 'There is no command among the tools.');
          assert.equal(tool.outcome, 'ok');
          assert.match(tool.output ?? '', /first-line/);
          assert.equal(run.result.output, 'Ran it.');
        }),
    },
    {
      name: 'shows a command that fails as an error and goes on',
      skip: subject.hidesCommandFailure ? 'it does not report that a command failed' : noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          const run = await stage.run(
            [{ shell: 'touch made.txt; ls /does-not-exist-here' }, { say: 'It failed.' }],
            {
              onRequest: allow,
            },
          );
          assertDone(run);
          const [tool] = all(run.events, 'tool.completed').filter(
            ({ action }) => action.type === 'command',
          );
          assert.equal(tool?.outcome, 'error');
        }),
    },
    {
      name: 'shows an edit with its path and really makes it',
      proves: features.diffs ? ['diffs'] : [],
      skip: lacking(subject, 'write'),
      run: () =>
        inWorld(subject, async (stage) => {
          const path = join(stage.cwd, 'edited.txt');
          const run = await stage.run(
            [{ write: { path, content: 'new text\n' } }, { say: 'Written.' }],
            {
              onRequest: allow,
            },
          );
          assertDone(run);
          assert.equal(readFileSync(path, 'utf8'), 'new text\n');
          const [tool] = all(run.events, 'tool.completed').filter(
            ({ action }) => action.type === 'file.edit',
          );
          assert.ok(tool && tool.action.type === 'file.edit', 'There is no edit among the tools.');
          assert.equal(tool.outcome, 'ok');
          const [change] = tool.action.changes;
          assert.ok(change?.path.endsWith('edited.txt'));
          if (features.diffs) assert.match(change?.diff ?? '', /new text/);
        }),
    },
    {
      name: 'ends what a finished run left running, and says so',
      skip: subject.runsElsewhere ? 'its tools run elsewhere' : noShell,
      run: () =>
        inWorld(subject, async (stage) => {
          // The command ends only when the process has left its session: some agents end the session with the command.
          const left = "setsid sh -c 'echo started > left.txt; exec sleep 300'";
          const command = `(${left} </dev/null >/dev/null 2>&1 &); until [ -s left.txt ]; do sleep 0.05; done`;
          const run = await stage.run([{ shell: command }, { say: 'Left something.' }], {
            onRequest: allow,
          });
          assertDone(run);
          assert.ok(existsSync(join(stage.cwd, 'left.txt')));
          const isTold = all(run.events, 'notice').some(
            ({ code }) => code === 'leftover_processes',
          );
          assert.ok(isTold || subject.endsLeftovers, 'Nothing was said of what was left running.');
          assertNothingSurvives(run.events[0]?.runId ?? '');
        }),
    },
  ];
}
