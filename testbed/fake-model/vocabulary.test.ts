import { expect, test } from 'vitest';
import type { ToolCall } from './steps.ts';
import { NoSuchTool, resolveCalls } from './vocabulary.ts';

const offers = {
  claude: [{ name: 'Bash', parameters: ['command'] }],
  codex: [{ name: 'exec_command', parameters: ['cmd'] }],
  gemini: [{ name: 'run_shell_command', parameters: ['command'] }],
  opencode: [{ name: 'read', parameters: ['filePath'] }],
  pi: [{ name: 'bash', parameters: ['command', 'timeout'] }],
  droid: [{ name: 'Execute', parameters: ['command'] }],
  openclaw: [
    { name: 'apply_patch', parameters: ['input'] },
    { name: 'exec', parameters: ['command'] },
  ],
};

const shell: ToolCall = { shell: 'ls' };
const write: ToolCall = { write: { path: 'a.txt', content: 'one\ntwo\n' } };
const edit: ToolCall = { edit: { path: 'a.txt', old: 'two', new: 'three' } };
const mcp: ToolCall = { mcp: { server: 'echo', tool: 'say', input: { text: 'hi' } } };

test.each([
  ['claude', shell, 'Bash', { command: 'ls', description: 'Run a command' }],
  ['claude', write, 'Write', { file_path: 'a.txt', content: 'one\ntwo\n' }],
  ['claude', edit, 'Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }],
  ['claude', mcp, 'mcp__echo__say', { text: 'hi' }],
  ['codex', shell, 'exec_command', { cmd: 'ls', yield_time_ms: 30_000 }],
  ['gemini', shell, 'run_shell_command', { command: 'ls' }],
  ['gemini', write, 'write_file', { file_path: 'a.txt', content: 'one\ntwo\n' }],
  ['openclaw', shell, 'exec', { command: 'ls', yieldMs: 120_000 }],
  ['openclaw', write, 'write', { path: 'a.txt', content: 'one\ntwo\n' }],
  ['openclaw', mcp, 'echo__say', { text: 'hi' }],
  ['pi', write, 'write', { path: 'a.txt', content: 'one\ntwo\n' }],
  ['opencode', write, 'write', { filePath: 'a.txt', content: 'one\ntwo\n' }],
] as const)('%s: %j', (agent, call, name, input) => {
  expect(resolveCalls([call], offers[agent])).toEqual([{ name, input }]);
});

test('codex writes files with patches', () => {
  expect(resolveCalls([write, edit], offers.codex)).toEqual([
    {
      name: 'apply_patch',
      input: '*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n',
    },
    {
      name: 'apply_patch',
      input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch\n',
    },
  ]);
});

test('codex keeps the tools of an MCP server in a namespace', () => {
  expect(resolveCalls([mcp], offers.codex)).toEqual([
    { name: 'say', namespace: 'mcp__echo', input: { text: 'hi' } },
  ]);
});

test('a question offers described options', () => {
  const call: ToolCall = { question: { question: 'Which?', options: ['A', 'B'] } };
  expect(resolveCalls([call], offers.claude)).toMatchObject([
    { name: 'AskUserQuestion', input: { questions: [{ question: 'Which?' }] } },
  ]);
  expect(resolveCalls([call], offers.codex)).toMatchObject([
    { name: 'request_user_input', input: { questions: [{ options: [{ label: 'A' }, {}] }] } },
  ]);
  const questionnaire = '1. [question] Which?\n[topic] Choice\n[option] A\n[option] B';
  expect(resolveCalls([call], offers.droid)).toEqual([
    { name: 'AskUser', input: { questionnaire } },
  ]);
});

test('a raw call goes out as it is, whatever is offered', () => {
  const raw = { name: 'Anything', input: { a: 1 } };
  expect(resolveCalls([{ raw }], [])).toEqual([raw]);
});

test('a call that no known tool can do names what was offered', () => {
  expect(() => resolveCalls([shell], [{ name: 'fly', parameters: [] }])).toThrow(NoSuchTool);
  expect(() => resolveCalls([{ question: { question: 'x', options: [] } }], offers.gemini)).toThrow(
    /run_shell_command/,
  );
});
