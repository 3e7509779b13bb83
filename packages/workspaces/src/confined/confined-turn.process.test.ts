import type { WorkspaceEvent } from '@baton/protocol/values';
import { expect, test } from 'vitest';
import { beginConfinedTurn } from './confined-turn.ts';

/** Begins a turn with a script in the place of the helper, which an agent of the same account could control. */
async function beginWith(script: string, more: { request?: { kind: 'worktree' } } = {}) {
  const events: WorkspaceEvent[] = [];
  const turn = await beginConfinedTurn({
    place: {
      command: { file: '/bin/sh', args: ['-c', script] },
      confine: (command) => command,
      worktrees: '/nonexistent',
      folder: '/',
    },
    confine: (command) => command,
    sessionId: 's',
    taskId: 't',
    cwd: '/',
    onEvent: (event) => {
      events.push(event);
    },
    ...more,
  });
  return { turn, events };
}

const NOTICE = { type: 'notice', level: 'info', code: 'workspace', message: 'Hello.' };
const report = (each: object) => `echo '${JSON.stringify(each)}';`;
const PLACE = report({ result: { cwd: '/', env: { A: 'b', C: 1 } } });
const END = `read call; read end; ${report({ result: {} })}`;

test('a helper reports events of workspaces and no others', async () => {
  const end = { type: 'run.completed', outcome: 'done', output: '', durationMs: 0 };
  const forged = report({ event: end }) + report({ event: NOTICE });
  const { turn, events } = await beginWith(`${forged} ${PLACE} ${END}`);
  expect(turn.env).toEqual({ A: 'b' });
  await turn.end();
  expect(events).toEqual([NOTICE]);
});

test.each([
  ['ends at once', 'exit 1'],
  ['prints something else', 'echo nonsense; read call; read end'],
])('a helper that %s costs an agent in place only its checkpoints', async (_name, script) => {
  const { turn, events } = await beginWith(script);
  await turn.end();
  expect(turn.cwd).toBe('/');
  const message = expect.stringContaining('The files of this turn are not kept');
  expect(events).toEqual([{ type: 'notice', level: 'warning', code: 'workspace', message }]);
});

test('an agent that is to work in a worktree does not start without one', async () => {
  await expect(beginWith('exit 1', { request: { kind: 'worktree' } })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  await expect(
    beginWith(`${report({ result: { cwd: 'x' } })} read call; read end`),
  ).rejects.toThrow('did not say where');
});
