import { type Action, actionSchema } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionOf, planEntries } from './actions.ts';

describe('tools that several agents have are told by any of their names', () => {
  test.each<[Action['type'], string[]]>([
    ['file.read', ['Read', 'read_file', 'view', 'NotebookRead']],
    ['file.edit', ['Write', 'write_file', 'create_file', 'create']],
    ['file.edit', ['Edit', 'edit_file', 'MultiEdit', 'replace', 'str_replace', 'NotebookEdit']],
    ['command', ['Bash', 'cmd', 'command_line', 'Execute', 'run_shell_command', 'shell']],
    ['search', ['Glob', 'Grep', 'LS', 'list_directory', 'search_file_content']],
    ['fetch', ['WebFetch', 'web_fetch', 'WebSearch', 'web_search', 'google_web_search']],
    ['subagent', ['Task', 'Agent']],
    ['plan', ['TodoWrite', 'write_todos', 'ExitPlanMode']],
  ])('%s: %j', (type, names) => {
    for (const name of names) {
      expect(actionOf(name, {}).type).toBe(type);
      expect(actionOf(name.toUpperCase(), {}).type).toBe(type);
    }
  });
});

describe('what a tool does is read from its input', () => {
  test.each<[string, string, unknown, Action]>([
    ['a read', 'Read', { file_path: 'a' }, { type: 'file.read', path: 'a' }],
    ['a read of another dialect', 'view', { path: 'a' }, { type: 'file.read', path: 'a' }],
    ['a read of a third dialect', 'read', { filePath: 'a' }, { type: 'file.read', path: 'a' }],
    [
      'a new file',
      'Write',
      { file_path: 'a', content: 'x\n' },
      { type: 'file.edit', changes: [{ path: 'a', kind: 'add', diff: 'x\n' }] },
    ],
    [
      'a new file of another dialect',
      'create_file',
      { path: 'a', file_text: 'x\n' },
      { type: 'file.edit', changes: [{ path: 'a', kind: 'add', diff: 'x\n' }] },
    ],
    [
      'an edit',
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      {
        type: 'file.edit',
        changes: [{ path: 'a', kind: 'edit', diff: '@@ -1,1 +1,1 @@\n-x\n+y\n' }],
      },
    ],
    [
      'an edit of another dialect',
      'edit_file',
      { path: 'a', old_str: 'x', new_str: 'y' },
      {
        type: 'file.edit',
        changes: [{ path: 'a', kind: 'edit', diff: '@@ -1,1 +1,1 @@\n-x\n+y\n' }],
      },
    ],
    [
      'several edits at once',
      'MultiEdit',
      {
        file_path: 'a',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'p', new_string: 'q' },
        ],
      },
      {
        type: 'file.edit',
        changes: [
          {
            path: 'a',
            kind: 'edit',
            diff: '@@ -1,1 +1,1 @@\n-x\n+y\n@@ -1,1 +1,1 @@\n-p\n+q\n',
          },
        ],
      },
    ],
    ['a command', 'Bash', { command: 'ls' }, { type: 'command', command: 'ls' }],
    ['a command of another dialect', 'Bash', { cmd: 'ls' }, { type: 'command', command: 'ls' }],
    [
      'a command in words',
      'shell',
      { command: ['git', 'log'] },
      { type: 'command', command: 'git log' },
    ],
    [
      'a command in the background',
      'Bash',
      { command: 'sleep 9', run_in_background: true },
      { type: 'command', command: 'sleep 9', background: true },
    ],
    [
      'a search',
      'Grep',
      { pattern: 'x', path: 'src' },
      { type: 'search', query: 'x', path: 'src' },
    ],
    ['a listing', 'LS', { path: 'src' }, { type: 'search', query: 'src', path: 'src' }],
    ['a fetch', 'WebFetch', { url: 'u' }, { type: 'fetch', url: 'u' }],
    ['a web search', 'WebSearch', { query: 'q' }, { type: 'fetch', query: 'q' }],
    [
      'a sub-agent',
      'Task',
      { prompt: 'p', subagent_type: 's', description: 'd' },
      { type: 'subagent', prompt: 'p', agent: 's', description: 'd' },
    ],
    [
      'a plan',
      'TodoWrite',
      { todos: [{ content: 'a', status: 'in_progress' }] },
      { type: 'plan', entries: [{ text: 'a', status: 'in_progress' }] },
    ],
    ['a plan in words', 'ExitPlanMode', { plan: 'First …' }, { type: 'plan', text: 'First …' }],
    [
      'an MCP tool',
      'mcp__file_system__read__it',
      { a: 1 },
      { type: 'mcp', server: 'file_system', tool: 'read__it', arguments: { a: 1 } },
    ],
    [
      'an MCP tool in the words of Droid',
      'file_system___read___it',
      { a: 1 },
      { type: 'mcp', server: 'file_system', tool: 'read___it', arguments: { a: 1 } },
    ],
    ['anything else', 'Oracle', { description: 'Ask' }, { type: 'other', description: 'Ask' }],
  ])('%s', (_name, tool, input, action) => {
    expect(actionOf(tool, input)).toEqual(action);
  });
});

test('no name and no input is too odd: the action always has its shape', () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('constructor', '__proto__', 'toString', 'mcp____', 'mcp__a__'),
    fc.constantFrom('Read', 'Write', 'Edit', 'Bash', 'Grep', 'WebFetch', 'Task', 'TodoWrite'),
  );
  const inputs = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('path', 'file_path', 'command', 'todos', 'edits', 'content', 'new_string'),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(names, inputs, (name, input) => {
      const action = actionOf(name, input);
      expect(actionSchema.parse(JSON.parse(JSON.stringify(action)))).toMatchObject({
        type: action.type,
      });
    }),
    { numRuns: 500 },
  );
});

describe('a todo list', () => {
  test('is read in the shapes that agents use', () => {
    const entries = [
      { content: 'a', status: 'completed' },
      { text: 'b', completed: true },
      { step: 'c', status: 'inProgress' },
      { title: 'd', status: 'in-progress' },
      { content: 'e', status: 'done' },
      { content: 'f', status: 'whatever' },
      {},
      'no object',
    ];
    expect(planEntries(entries)?.map(({ text, status }) => `${text} ${status}`)).toEqual([
      'a completed',
      'b completed',
      'c in_progress',
      'd in_progress',
      'e completed',
      'f pending',
      ' pending',
      ' pending',
    ]);
  });

  test('is read from text', () => {
    expect(planEntries('1. [completed] Look\n2. [in_progress] Act\n')).toEqual([
      { text: 'Look', status: 'completed' },
      { text: 'Act', status: 'in_progress' },
    ]);
  });

  test.each([undefined, null, {}, 'todo'])('%j is none', (value) => {
    expect(planEntries(value)).toBeUndefined();
  });
});
