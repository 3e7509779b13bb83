import type { Action, Entry } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Said } from '../log/run-events.ts';
import { onBothEngines } from '../testing/engines.ts';
import { message, STARTED, startedRun } from '../testing/session.ts';

const edit = (path: string): Action => ({
  type: 'file.edit',
  changes: [{ path, kind: 'add', diff: 'text\0\n' }],
});
const used = (callId: string, action: Action, output = ''): Said[] => [
  { type: 'tool.started', callId, name: 'tool', action },
  { type: 'tool.completed', callId, name: 'tool', action, outcome: 'ok', output },
];

onBothEngines('the entries that tell of files', (engine) => {
  test('are read without all others, in their order and over many pages', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const paths = Array.from({ length: 120 }, (_none, index) => `file ${index}`);
    await run.say(
      STARTED,
      ...message('m', 'I say "type":"file.edit".'),
      ...used('ls', { type: 'command', command: 'ls' }, 'It prints "type":"file.edit" and \0.'),
      ...paths.flatMap((path) => used(path, edit(path), 'written\0')),
      { type: 'file.changed', path: 'by itself', kind: 'edit' },
      { type: 'tool.started', callId: 'open', name: 'tool', action: edit('not yet') },
    );
    const found: Entry[] = [];
    for await (const entry of store.fileEntries(run.sessionId)) found.push(entry);
    const pathOf = (entry: Entry) => {
      if (entry.kind === 'file') return entry.change.path;
      const isEdit = entry.kind === 'tool' && entry.action.type === 'file.edit';
      return isEdit && entry.action.type === 'file.edit' ? entry.action.changes[0]?.path : 'other';
    };
    expect(found.map(pathOf)).toEqual([...paths, 'by itself']);
  });
});
