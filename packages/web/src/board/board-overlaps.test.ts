import { expect, test } from 'vitest';
import { overlapsBySession } from './board-overlaps.ts';

const task = (session_id: string, paths: string[], repository: string | null = '/r') => ({
  ...{ session_id, session_title: `Task ${session_id}`, host: 'h', repository },
  changes: { files: paths.length, additions: 1, deletions: 0, paths },
});

test('finds shared files of running sessions in the same repository', () => {
  const tasks = [task('a', ['x', 'y', 'z']), task('b', ['y', 'z']), task('c', ['q'])];
  const overlaps = overlapsBySession(tasks);
  const paths = ['y', 'z'];
  expect(overlaps.get('a')).toEqual([{ session_id: 'b', title: 'Task b', paths }]);
  expect(overlaps.get('b')).toEqual([{ session_id: 'a', title: 'Task a', paths }]);
  expect(overlaps.get('c')).toEqual([]);
});

test('ignores other repositories, machines and unknown workspaces', () => {
  const others = [
    task('b', ['x'], '/other'),
    task('c', ['x'], null),
    { ...task('d', ['x']), host: 'elsewhere' },
    { ...task('e', []), changes: null },
  ];
  expect(overlapsBySession([task('a', ['x']), ...others]).get('a')).toEqual([]);
});
