import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileChange } from '../action.ts';
import type { LogEvent } from '../session/session-event.ts';
import { ChangedFiles, type ChangeLimits } from './changed-files.ts';
import { foldTranscript } from './next-entry.ts';

type Body = Record<string, unknown> & { type: string };

function changed(bodies: readonly Body[], limits?: ChangeLimits) {
  const events = bodies.map((body, index) => {
    const cursor = index + 1;
    return { cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...body } as LogEvent;
  });
  const files = new ChangedFiles('/work', limits);
  for (const entry of foldTranscript(events)) files.take(entry);
  return files.list();
}

const edited = (callId: string, changes: FileChange[], outcome = 'ok') => ({
  type: 'tool.completed',
  callId,
  name: 'edit',
  action: { type: 'file.edit', changes },
  outcome,
});
const heard = (change: FileChange, callId?: string) => ({
  type: 'file.changed',
  ...change,
  callId,
});
const hunk = (...lines: string[]) => {
  const count = (sign: string) => lines.filter((line) => !line.startsWith(sign)).length;
  return `${[`@@ -1,${count('+')} +1,${count('-')} @@`, ...lines].join('\n')}\n`;
};

test('the changes of a file are grouped by its path in the folder', () => {
  const first = hunk('-a', '+b', '+c');
  const second = hunk('-c');
  expect(
    changed([
      edited('1', [{ path: '/work/src/a.ts', kind: 'edit', diff: first }]),
      edited('2', [{ path: '/elsewhere/b', kind: 'add', diff: 'x' }]),
      edited('3', [{ path: './src/a.ts', kind: 'edit', diff: second }]),
    ]),
  ).toEqual([
    {
      path: 'src/a.ts',
      kind: 'edit',
      added: 2,
      removed: 2,
      pieces: [
        { cursor: 1, taskId: 't', kind: 'edit', added: 2, removed: 1, diff: first, cut: false },
        { cursor: 3, taskId: 't', kind: 'edit', added: 0, removed: 1, diff: second, cut: false },
      ],
    },
    expect.objectContaining({ path: '/elsewhere/b', kind: 'add', added: 1 }),
  ]);
});

test('what failed, was denied or still runs changed nothing', () => {
  const change: FileChange = { path: 'a', kind: 'delete' };
  const { outcome: _none, ...running } = { ...edited('2', [change]), type: 'tool.started' };
  expect(
    changed([edited('1', [change], 'error'), running, edited('3', [change], 'denied')]),
  ).toEqual([]);
});

test('what a tool and the news of its file say counts once', () => {
  const change: FileChange = { path: 'a', kind: 'edit', diff: hunk('+x') };
  const moved: FileChange = { path: 'b', newPath: 'c', kind: 'rename' };
  const files = changed([
    edited('1', [change, moved]),
    heard({ ...change, path: '/work/a' }, '1'),
    heard({ path: 'c', kind: 'edit' }, '1'),
    heard({ path: 'd', kind: 'add' }, '1'),
    heard({ path: 'a', kind: 'edit' }, 'another'),
  ]);
  expect(files.map(({ path, pieces }) => [path, pieces.map(({ cursor }) => cursor)])).toEqual([
    ['a', [1, 5]],
    ['c', [1]],
    ['d', [4]],
  ]);
});

test.each([
  [['add', 'edit'], 'add'],
  [['add', 'delete'], 'delete'],
  [['edit', 'delete'], 'delete'],
  [['delete', 'add'], 'edit'],
  [['edit', 'add'], 'edit'],
] as const)('%s comes to %s', (kinds, expected) => {
  const [file] = changed(kinds.map((kind, index) => edited(`${index}`, [{ path: 'a', kind }])));
  expect(file?.kind).toBe(expected);
});

test('a new file that is written once more as a whole counts once', () => {
  const add = (diff: string): FileChange[] => [{ path: 'a', kind: 'add', diff }];
  const edit: FileChange[] = [{ path: 'a', kind: 'edit', diff: hunk('-x', '+y') }];
  const [rewritten] = changed([
    edited('1', add('a\nb\n')),
    edited('2', edit),
    edited('3', add('a\nb\nc\n')),
    edited('4', edit),
  ]);
  expect(rewritten).toMatchObject({ kind: 'add', added: 4, removed: 1 });
  expect(rewritten?.pieces).toHaveLength(4);
  const [known] = changed([edited('1', edit), edited('2', add('a\nb\n'))]);
  expect(known).toMatchObject({ kind: 'edit', added: 3, removed: 1 });
});

test('a renamed file is listed by its last name, in its old position', () => {
  const files = changed([
    edited('1', [{ path: 'a', kind: 'edit', diff: hunk('+x') }]),
    edited('2', [{ path: 'z', kind: 'add', diff: 'z' }]),
    edited('3', [{ path: 'a', newPath: 'b', kind: 'rename' }]),
    edited('4', [{ path: 'b', newPath: 'c', kind: 'rename' }]),
    edited('5', [{ path: 'c', kind: 'edit', diff: hunk('-x') }]),
  ]);
  expect(files).toMatchObject([
    { path: 'c', oldPath: 'a', kind: 'rename', added: 1, removed: 1 },
    { path: 'z', kind: 'add' },
  ]);
  expect(files[0]?.pieces).toHaveLength(4);
});

test('long diffs are cut at the end of a line, and counted whole', () => {
  const long = hunk('+aaaa', '+bbbb', '+cccc');
  const limits = { diff: long.length - 1, all: 1.5 * long.length };
  const [file] = changed(
    ['1', '2', '3'].map((id) => edited(id, [{ path: 'a', kind: 'edit', diff: long }])),
    limits,
  );
  expect(file).toMatchObject({ added: 9 });
  expect(file?.pieces.map(({ cut }) => cut)).toEqual([true, true, true]);
  expect(file?.pieces[0]?.diff).toBe(long.replace('+cccc\n', ''));
  const kept = file?.pieces.reduce((all, { diff = '' }) => all + diff.length, 0);
  expect(kept).toBeLessThanOrEqual(limits.all);
});

test('every change is listed once, and no file twice', () => {
  const path = fc.constantFrom('a', './a', '/work/a', 'b', 'c/d');
  const change = fc.record({
    path,
    kind: fc.constantFrom('add', 'edit', 'delete', 'rename'),
    diff: fc.constantFrom('x', hunk('+x'), hunk('-x', '+y'), undefined),
    newPath: fc.option(path, { nil: undefined }),
  }) as fc.Arbitrary<FileChange>;
  const told = fc.tuple(fc.array(change), fc.constantFrom('ok', 'ok', 'error'));
  fc.assert(
    fc.property(fc.array(told), fc.array(change), (tools, news) => {
      const files = changed([
        ...tools.map(([changes, outcome], index) => edited(`${index}`, changes, outcome)),
        ...news.map((each) => heard(each)),
      ]);
      const happened = tools.flatMap(([changes, outcome]) => (outcome === 'ok' ? changes : []));
      const pieces = files.flatMap((file) => file.pieces);
      expect(pieces).toHaveLength(happened.length + news.length);
      expect(new Set(files.map((file) => file.path)).size).toBe(files.length);
      for (const file of files) {
        const cursors = file.pieces.map(({ cursor }) => cursor);
        expect(cursors).toEqual(cursors.toSorted((one, other) => one - other));
      }
    }),
  );
});
