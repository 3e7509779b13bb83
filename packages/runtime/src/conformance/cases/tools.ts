import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceCase, ConformanceSubject } from '../subject.ts';
import { all, assertDone, inWorld } from '../tools.ts';

const allow = () => ({ decision: 'allow' }) as const;

/** Tools start, do their work, and end with what came out of them. */
export function toolCases(subject: ConformanceSubject): ConformanceCase[] {
  return [
    {
      name: 'shows a command with its output and exit code',
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
          assert.match(change?.diff ?? '', /new text/);
        }),
    },
    {
      name: 'ends what a finished run left running, and says so',
      run: () =>
        inWorld(subject, async (stage) => {
          const command =
            '(setsid sleep 300 </dev/null >/dev/null 2>&1 &) ; echo started > left.txt';
          const run = await stage.run([{ shell: command }, { say: 'Left something.' }], {
            onRequest: allow,
          });
          assertDone(run);
          assert.ok(existsSync(join(stage.cwd, 'left.txt')));
          assert.ok(all(run.events, 'notice').some(({ code }) => code === 'leftover_processes'));
        }),
    },
  ];
}
