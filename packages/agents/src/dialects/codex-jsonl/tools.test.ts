import { expect, test } from 'vitest';
import { outcomeOf, toolOf, unwrapShell } from './tools.ts';

test('a command of exec and one of the app server are the same tool', () => {
  const exec = {
    type: 'command_execution',
    command: "/bin/bash -lc 'echo hi'",
    aggregated_output: 'hi\n',
    exit_code: 0,
  };
  const live = {
    type: 'commandExecution',
    command: "/bin/bash -lc 'echo hi'",
    aggregatedOutput: 'hi\n',
    exitCode: 0,
  };
  const tool = {
    name: 'command_execution',
    action: { type: 'command', command: 'echo hi', exitCode: 0 },
    output: 'hi\n',
  };
  expect(toolOf(exec)).toMatchObject(tool);
  expect(toolOf(live)).toMatchObject(tool);
});

test.each([
  [
    {
      type: 'mcpToolCall',
      server: 's',
      tool: 't',
      arguments: { a: 1 },
      result: { content: [{ text: 'x' }, { n: 1 }] },
    },
    { name: 'mcp__s__t', action: { type: 'mcp', server: 's', tool: 't' }, output: 'x\n{"n":1}' },
  ],
  [
    { type: 'mcp_tool_call', server: 's', tool: 't', error: { message: 'No.' } },
    { name: 'mcp__s__t', output: 'No.' },
  ],
  [
    { type: 'webSearch', query: '', action: { type: 'openPage', url: 'https://x' } },
    { name: 'web_search', action: { type: 'fetch', url: 'https://x' } },
  ],
  [
    { type: 'web_search', query: 'cats', action: { type: 'search', query: 'cats' } },
    { name: 'web_search', action: { type: 'fetch', query: 'cats' } },
  ],
  [
    {
      type: 'collabAgentToolCall',
      tool: 'spawnAgent',
      prompt: 'Do it.',
      agentsStates: { a: { status: 'completed', message: 'Did it.' }, b: { message: null } },
    },
    { name: 'spawn_agent', action: { type: 'subagent', prompt: 'Do it.' }, output: 'Did it.' },
  ],
  [
    { type: 'collab_tool_call', tool: 'wait', agents_states: {} },
    { name: 'wait', action: { type: 'subagent', description: 'wait' }, output: undefined },
  ],
  [
    { type: 'imageView', path: '/i.png' },
    { name: 'image_view', action: { type: 'file.read', path: '/i.png' } },
  ],
  [
    { type: 'dynamicToolCall', tool: 'mine' },
    { name: 'mine', action: { type: 'other' } },
  ],
])('%j', (item, expected) => {
  expect(toolOf(item)).toMatchObject(expected);
});

test('changes without a diff stay without one', () => {
  const changes = [
    { path: '/a', kind: 'add' },
    { path: '/b', kind: 'update' },
    { path: '/c', kind: 'delete' },
  ];
  expect(toolOf({ type: 'file_change', changes })?.action).toEqual({
    type: 'file.edit',
    changes: [
      { path: '/a', kind: 'add', diff: undefined },
      { path: '/b', kind: 'edit', diff: undefined },
      { path: '/c', kind: 'delete', diff: undefined },
    ],
  });
});

test.each(['agentMessage', 'userMessage', 'constructor', 'toString', undefined, 5])(
  'an item of type %s is not a tool',
  (type) => {
    expect(toolOf({ type })).toBeUndefined();
  },
);

test.each([
  ['completed', 'ok'],
  ['failed', 'error'],
  ['declined', 'denied'],
  ['interrupted', 'cancelled'],
  [undefined, 'ok'],
])('status %s is outcome %s', (status, outcome) => {
  expect(outcomeOf({ status })).toBe(outcome);
});

test.each([
  ["/bin/bash -lc 'echo hi'", 'echo hi'],
  ['/bin/bash -lc ls', 'ls'],
  ["/usr/bin/zsh -lc 'touch a && ls'", 'touch a && ls'],
  ['bash -c "it\'s \\"here\\" \\$HOME"', 'it\'s "here" $HOME'],
  ["/bin/bash -lc 'it'\\''s'", "it's"],
  ["/bin/bash -lc 'one\ntwo'", 'one\ntwo'],
  ['/bin/bash -lc ls -la', '/bin/bash -lc ls -la'],
  ["/bin/bash -lc 'broken", "/bin/bash -lc 'broken"],
  ['python3 -c "print(1)"', 'python3 -c "print(1)"'],
  ['touch a', 'touch a'],
  ['', ''],
])('%s is %s', (command, expected) => {
  expect(unwrapShell(command)).toBe(expected);
});

test('an exit code that is no whole number is left out', () => {
  const item = { type: 'command_execution', command: 'ls', exit_code: 0.5 };
  expect(toolOf(item)?.action).toMatchObject({ type: 'command', exitCode: undefined });
});
