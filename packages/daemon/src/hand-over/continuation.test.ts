import type { RequestRow, Store, TaskRow } from '@baton/store';
import { expect, test } from 'vitest';
import { continuationOf } from './continuation.ts';

function storeWith(...rows: object[]): Store {
  return { records: { requests: { find: async () => rows } } } as unknown as Store;
}

function row(requestId: string, request: object, answer: object): Partial<RequestRow> {
  const kind = 'questions' in request ? 'question' : 'permission';
  return {
    request_id: requestId,
    kind,
    request: JSON.stringify(request),
    answer: JSON.stringify(answer),
  };
}

const task = (ids: string[] | null) =>
  ({ task_id: 't', resumed_with: ids && JSON.stringify(ids) }) as TaskRow;

const COMMAND = { tool: 'Bash', action: { type: 'command', command: 'npm test' } };
const EDIT = {
  tool: 'Write',
  action: { type: 'file.edit', changes: [{ path: '/w/a.txt', kind: 'update' }] },
};

test('a task that was not paused gets its prompt', async () => {
  expect(await continuationOf(storeWith(), task(null), '/w')).toBeNull();
});

test('names every request that was answered meanwhile, and no other', async () => {
  const store = storeWith(
    row('old', { ...COMMAND, action: { type: 'command', command: 'rm' } }, { decision: 'allow' }),
    row('a', COMMAND, { decision: 'allow' }),
    row('b', EDIT, { decision: 'deny', reason: 'Not that file.' }),
    row('c', { questions: [{ id: 'q', question: 'Tea?' }] }, { answers: { q: ['Yes', 'Hot'] } }),
    row('d', { questions: [{ id: 'q', question: 'Milk?' }] }, { declined: true }),
    row('e', COMMAND, { decision: 'allow', input: { command: 'npm run lint' } }),
  );
  const text = await continuationOf(store, task(['a', 'b', 'c', 'd', 'e']), '/w');
  expect(text?.split('\n\n')[1]?.split('\n')).toEqual([
    '- Allowed: $ npm test',
    '- Denied: Edit a.txt (Not that file.)',
    '- Tea? Answer: Yes, Hot',
    '- Milk? (not answered)',
    '- Allowed: $ npm test, with this input: {"command":"npm run lint"}',
  ]);
});
