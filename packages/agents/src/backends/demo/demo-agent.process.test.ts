import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { all, demoWorld, finish, keepDemoWorlds } from '../../testing/demo-world.ts';

keepDemoWorlds();

describe.concurrent('a home that cannot be written to', () => {
  test('is not a failure, and is reported', async () => {
    const world = demoWorld();
    const file = join(world.cwd, 'no-folder');
    writeFileSync(file, '');
    // In /proc no folder can be made, and Node tries for ever when it is told to make all of a path.
    for (const HOME of [file, '/proc']) {
      const { events, result } = await finish(world.start([{ say: 'Hi.' }], { env: { HOME } }));
      expect(result).toMatchObject({ outcome: 'done', output: 'Hi.' });
      const [notice] = all(events, 'notice');
      expect(notice?.message).toContain('This session cannot be resumed later');
    }
  });
});

test('its output is in its ledger, with a running checksum', async () => {
  const world = demoWorld();
  const ledger = join(world.cwd, 'ledger');
  const script = [{ ledger }, { think: 'Hm.' }, { say: 'One two.' }, { flood: 2 }];
  const { events } = await finish(world.start(script));
  const said = all(events, 'message.delta').map(({ text }) => text);
  const expected = said.map((_, index) => {
    const text = said.slice(0, index + 1).join('');
    return `${text.length} ${createHash('sha256').update(text).digest('hex')}\n`;
  });
  expect(said).toHaveLength(5);
  expect(readFileSync(ledger, 'utf8')).toBe(expected.join(''));
});

test('an existing file is edited, and its diff shows the change', async () => {
  const world = demoWorld();
  writeFileSync(join(world.cwd, 'a.txt'), 'one\ntwo\n');
  const edited = { path: 'a.txt', content: 'one\n2\n3\n' };
  const { events } = await finish(
    world.start(
      [
        { write: { path: 'a.txt', content: 'one\n2\n' } },
        { write: { path: 'b.txt', content: 'new\n' } },
        { write: { path: 'a.txt', content: 'x' } },
      ],
      {
        onRequest: ({ kind, request }) => {
          if (kind !== 'permission') return { declined: true };
          const isLast = JSON.stringify(request).includes('"x"');
          return { decision: 'allow', ...(isLast ? { input: edited } : {}) };
        },
      },
    ),
  );
  const changes = all(events, 'tool.completed').map(({ action }) =>
    action.type === 'file.edit' ? action.changes[0] : undefined,
  );
  expect(changes).toEqual([
    { path: 'a.txt', kind: 'edit', diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n' },
    { path: 'b.txt', kind: 'add', diff: 'new\n' },
    { path: 'a.txt', kind: 'edit', diff: '@@ -1,2 +1,3 @@\n one\n 2\n+3\n' },
  ]);
});

test('says nothing more once it is stopped while it asks', async () => {
  const question = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] };
  const run = demoWorld().start([{ question }, { say: 'Thanks.' }]);
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.type === 'question.requested') void run.cancel();
  }
  expect(all(events, 'message.delta')).toEqual([]);
  expect(await run.result).toMatchObject({ outcome: 'cancelled', output: '' });
});

describe.concurrent('the tour', () => {
  test('reports what was done when everything was allowed', async () => {
    const world = demoWorld();
    const { result } = await finish(
      world.start('Show me', { onRequest: ({ kind }) => allowOrDecline(kind) }),
    );
    expect(result.output).toContain('Everything you saw was real');
    expect(existsSync(join(world.cwd, 'hello-from-baton.md'))).toBe(true);
  });

  test('does not claim what was denied, and leaves it open in its plan', async () => {
    const world = demoWorld();
    const { events, result } = await finish(
      world.start('Show me', {
        onRequest: ({ kind }) =>
          kind === 'permission' ? { decision: 'deny' } : { declined: true },
      }),
    );
    expect(result.output).toContain('hello-from-baton.md was not written');
    expect(result.output).not.toContain('Everything');
    const statuses = all(events, 'plan.updated')
      .at(-1)
      ?.entries.map(({ status }) => status);
    expect(statuses).toEqual(['completed', 'pending', 'pending']);
  });
});

test('the tour says for each thing that was missed why', async () => {
  const world = demoWorld();
  const { result } = await finish(
    world.start('Show me', {
      onRequest: ({ kind, request }) => {
        if (kind !== 'permission') return { declined: true };
        return { decision: 'tool' in request && request.tool === 'write' ? 'deny' : 'allow' };
      },
    }),
  );
  expect(result.output).toContain(
    'hello-from-baton.md was not written, because that was not allowed, and the command failed.',
  );
});

function allowOrDecline(kind: 'permission' | 'question') {
  return kind === 'permission' ? ({ decision: 'allow' } as const) : ({ declined: true } as const);
}
