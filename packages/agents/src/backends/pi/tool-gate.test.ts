import { homedir } from 'node:os';
import type { EventDraft } from '@baton/engine/definition/dialect';
import { describe, expect, test } from 'vitest';
import { checkGate } from './pi-library.ts';
import { ToolGate, writtenPath } from './tool-gate.ts';

function gate(permissionMode: 'ask' | 'auto' | 'allow-all') {
  const drafts: EventDraft[] = [];
  const held = new ToolGate({ permissionMode, cwd: '/work' }, (draft) => drafts.push(draft));
  return { held, drafts };
}

const bash = () => ({ toolName: 'bash', toolCallId: 'call_1|fc_2', input: { command: 'ls' } });

describe('the gate before the tools of Pi', () => {
  test.each(['read', 'grep', 'find', 'ls'])('lets %s pass unasked', async (toolName) => {
    const { held, drafts } = gate('ask');
    expect(await held.hold({ toolName, toolCallId: 'c', input: { path: 'a' } })).toBeUndefined();
    expect(drafts).toEqual([]);
  });

  test.each(['ask', 'auto'] as const)(
    'holds a command in mode %s until it is answered',
    async (mode) => {
      const { held, drafts } = gate(mode);
      const answer = held.hold(bash());
      expect(drafts).toMatchObject([
        { type: 'permission.requested', callId: 'call_1|fc_2', action: { type: 'command' } },
      ]);
      held.answer('permission-1', { decision: 'allow' });
      expect(await answer).toBeUndefined();
    },
  );

  test('lets everything pass in mode allow-all', async () => {
    const { held, drafts } = gate('allow-all');
    expect(await held.hold(bash())).toBeUndefined();
    expect(drafts).toEqual([]);
  });

  test('gives the reason of a denial, and reports one that ends the turn', async () => {
    const { held } = gate('ask');
    const answer = held.hold(bash());
    const given = held.answer('permission-1', { decision: 'deny', reason: 'No.', stop: true });
    expect(given).toBe('stop');
    expect(await answer).toEqual({ block: true, reason: 'No.' });
  });

  test('denies what waits when the turn is interrupted', async () => {
    const { held } = gate('ask');
    const answer = held.hold(bash());
    held.close();
    expect(await answer).toMatchObject({ block: true });
  });

  test.each(['Write', 'create', 'edit_file', 'multiedit', 'replace', 'notebookedit'])(
    'does not take %s for an edit, which is no tool of Pi',
    (toolName) => {
      const { held, drafts } = gate('auto');
      void held.hold({ toolName, toolCallId: 'c', input: { path: 'ok.txt', content: 'x' } });
      expect(drafts).toMatchObject([{ type: 'permission.requested', action: { type: 'other' } }]);
    },
  );

  test('blocks an edit without a path', async () => {
    const { held } = gate('auto');
    const call = { toolName: 'write', toolCallId: 'c', input: { content: 'x' } };
    expect(await held.hold(call)).toMatchObject({ block: true });
  });

  test.each(['file_path', 'filePath', 'notebook_path', 'target_file', 'destination'])(
    'asks about the file that Pi writes, not about the one in %s',
    (other) => {
      const { held, drafts } = gate('ask');
      const input = { [other]: 'ok.txt', path: '.git/hooks/pre-commit', content: 'x' };
      void held.hold({ toolName: 'write', toolCallId: 'c', input });
      expect(drafts).toMatchObject([
        { action: { changes: [{ path: '/work/.git/hooks/pre-commit' }] }, input },
      ]);
      held.close();
    },
  );

  test('makes Pi write the very file that was asked about', async () => {
    const { held, drafts } = gate('auto');
    const call = { toolName: 'write', toolCallId: 'c', input: { path: '@~/x', content: 'x' } };
    const answer = held.hold(call);
    held.answer('permission-1', { decision: 'allow' });
    await answer;
    expect(call.input.path).toBe(`${homedir()}/x`);
    expect(drafts).toMatchObject([
      { action: { type: 'file.edit', changes: [{ path: `${homedir()}/x` }] } },
    ]);
  });
});

test.each([
  ['a.txt', '/work/a.txt'],
  ['../a.txt', '/a.txt'],
  ['@a.txt', '/work/a.txt'],
  ['@/etc/passwd', '/etc/passwd'],
  ['@@/etc/passwd', '/work/@/etc/passwd'],
  ['~', homedir()],
  ['@~/a', `${homedir()}/a`],
  ['~other/a', '/work/~other/a'],
  ['file:///etc/passwd', '/etc/passwd'],
  ['a\u00A0b', '/work/a b'],
  ['/work/../etc/passwd', '/etc/passwd'],
])('Pi would write %j to %s', (path, written) => {
  expect(writtenPath(path, '/work')).toBe(written);
});

test('a release of Pi without the hook of the gate is refused', () => {
  expect(() =>
    checkGate({ extensions: [{ handlers: new Map([['tool_call', []]]) }] }),
  ).not.toThrow();
  for (const result of [{}, { extensions: [] }, { extensions: [{}, { handlers: new Map() }] }]) {
    expect(() => checkGate(result)).toThrow('does not let Baton ask');
  }
});
