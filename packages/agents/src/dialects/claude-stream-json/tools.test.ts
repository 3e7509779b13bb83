import { describe, expect, test } from 'vitest';
import { assistant, readerStage, result, toolResult } from './testing/stage.ts';

describe('tools', () => {
  const calling = (name: string, input: object) =>
    readerStage().say(assistant('m1', [{ type: 'tool_use', id: 't1', name, input }]));

  test.each([
    [{}, 'ok'],
    [{ is_error: true }, 'error'],
  ])('a result of %o is %s', (block, outcome) => {
    const stage = calling('Read', { file_path: 'a' }).say(toolResult('t1', 'text', {}, block));
    expect(stage.all('tool.completed')[0]).toMatchObject({ callId: 't1', outcome, output: 'text' });
  });

  test.each([
    'Permission to use Bash with command rm has been denied.',
    "Claude requested permissions to write to /a, but you haven't granted it yet.",
    'PreToolUse:Bash hook error: [exit 2]: no',
    'Tool permission request failed: Error: Stream closed',
  ])('"%s" is a denial', (content) => {
    const stage = calling('Bash', { command: 'rm' }).say(
      toolResult('t1', content, {}, { is_error: true }),
    );
    expect(stage.all('tool.completed')[0]?.outcome).toBe('denied');
  });

  test('a call that was broken off is cancelled', () => {
    const rejected = { tool_use_result: 'User rejected tool use' };
    const stage = calling('Bash', {}).say(toolResult('t1', 'no', rejected, { is_error: true }));
    expect(stage.all('tool.completed')[0]?.outcome).toBe('cancelled');
  });

  test('a command has its output and its exit code', () => {
    const printed = { tool_use_result: { stdout: 'out', stderr: 'err' } };
    const good = calling('Bash', { command: 'x' }).say(toolResult('t1', 'out', printed));
    expect(good.all('tool.completed')[0]).toMatchObject({
      output: 'out\nerr',
      action: { exitCode: 0 },
    });
    const bad = calling('Bash', { command: 'x' });
    bad.say(
      toolResult(
        't1',
        'Exit code 2\nno',
        { tool_use_result: 'Error: Exit code 2' },
        { is_error: true },
      ),
    );
    expect(bad.all('tool.completed')[0]).toMatchObject({ action: { exitCode: 2 } });
    const behind = calling('Bash', { command: 'x', run_in_background: true });
    behind.say(
      toolResult('t1', 'running', { tool_use_result: { stdout: '', backgroundTaskId: 'b' } }),
    );
    expect(behind.all('tool.completed')[0]?.action).not.toHaveProperty('exitCode');
  });

  test('an edit shows the change that was made', () => {
    const hunk = { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ['-a', '+b', '+c'] };
    const account = { tool_use_result: { structuredPatch: [hunk] } };
    const edit = calling('Edit', { file_path: 'f', old_string: 'a', new_string: 'b\nc' });
    edit.say(toolResult('t1', 'done', account));
    expect(edit.all('tool.completed')[0]?.action).toEqual({
      type: 'file.edit',
      changes: [{ path: 'f', kind: 'edit', diff: '@@ -3,1 +3,2 @@\n-a\n+b\n+c\n' }],
    });
    const write = calling('Write', { file_path: 'f', content: 'new\n' });
    write.say(
      toolResult('t1', 'done', { tool_use_result: { type: 'create', structuredPatch: [] } }),
    );
    expect(write.all('tool.completed')[0]?.action).toEqual({
      type: 'file.edit',
      changes: [{ path: 'f', kind: 'add', diff: 'new\n' }],
    });
  });

  test('output is flattened', () => {
    const blocks = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];
    const mixed = calling('mcp__s__t', {}).say(toolResult('t1', blocks));
    expect(mixed.all('tool.completed')[0]?.output).toBe('a\n[image]\nb');
  });

  test('tasks that come and go one by one make a plan', () => {
    const stage = readerStage();
    const step = (name: string, input: object, account: object) =>
      stage.say(
        assistant(name, [{ type: 'tool_use', id: 't', name, input }]),
        toolResult('t', 'ok', { tool_use_result: account }),
      );
    step('TaskCreate', { subject: 'One' }, { task: { id: '1', subject: 'One' } });
    step('TaskCreate', { subject: 'Two' }, { task: { id: '2', subject: 'Two' } });
    step('TaskUpdate', { taskId: '1', status: 'completed' }, { success: true });
    step('TaskUpdate', { taskId: '2', status: 'deleted' }, { success: true });
    step('TodoWrite', { todos: [{ content: 'Three', status: 'in_progress' }] }, {});
    expect(stage.all('plan.updated').map(({ entries }) => entries)).toEqual([
      [{ text: 'One', status: 'pending' }],
      [
        { text: 'One', status: 'pending' },
        { text: 'Two', status: 'pending' },
      ],
      [
        { text: 'One', status: 'completed' },
        { text: 'Two', status: 'pending' },
      ],
      [{ text: 'One', status: 'completed' }],
      [{ text: 'Three', status: 'in_progress' }],
    ]);
  });

  describe('as separate lines', () => {
    const use = { type: 'tool_use', tool_name: 'Bash', name: 'Bash', input: { command: 'ls' } };
    const session = { session_id: 's' };

    test('belong together without an id, in the order of the calls', () => {
      const stage = readerStage().say(
        { ...use, ...session },
        { type: 'tool_use', name: 'Read', input: { file_path: 'a' } },
        { type: 'tool_result', result: 'a.txt', is_error: false },
        { type: 'tool_result', result: [{ type: 'text', text: 'no' }], is_error: true },
      );
      const [first, second] = stage.all('tool.started');
      expect(stage.drafts).toMatchObject([
        { type: 'run.identified', nativeSessionId: 's' },
        { type: 'tool.started', name: 'Bash', action: { type: 'command', command: 'ls' } },
        { type: 'tool.started', name: 'Read' },
        { type: 'tool.completed', callId: first?.callId, outcome: 'ok', output: 'a.txt' },
        { type: 'tool.completed', callId: second?.callId, outcome: 'error', output: 'no' },
      ]);
      expect(first?.callId).not.toBe(second?.callId);
    });

    test('belong together by their id', () => {
      const stage = readerStage().say(
        { ...use, id: 't1', parent_tool_use_id: 't0' },
        { ...use, id: 't2' },
        { type: 'tool_result', tool_use_id: 't2', content: 'two' },
        { type: 'tool_result', tool_use_id: 't1', content: 'one' },
      );
      expect(stage.all('tool.completed')).toMatchObject([
        { callId: 't2', output: 'two' },
        { callId: 't1', output: 'one', parentId: 't0' },
      ]);
    });

    test('open a turn', () => {
      const stage = readerStage().say(result(), use);
      expect(stage.dialect.end({ code: 0, stderr: '' })?.error?.code).toBe('output_truncated');
    });

    test('are kept unchanged when they belong to no call', () => {
      const line = { type: 'tool_result', result: 'x' };
      const stage = readerStage().say(line);
      expect(stage.drafts).toEqual([
        { type: 'unparsed', source: 'stdout', line: JSON.stringify(line) },
      ]);
    });
  });
});

test('output that Claude truncated is marked, with the location of the rest', () => {
  const stage = readerStage().say(
    assistant('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'seq 9' } }]),
    toolResult('t1', '<persisted-output>', {
      tool_use_result: {
        stdout: '1\n2',
        stderr: '',
        persistedOutputPath: '/home/a/out.txt',
        persistedOutputSize: 48_894,
      },
    }),
  );
  expect(stage.all('tool.completed')[0]).toMatchObject({
    output: '1\n2',
    wholeOutput: { path: '/home/a/out.txt', bytes: 48_894 },
  });
});
