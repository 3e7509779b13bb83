import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import { describe, expect, test } from 'vitest';
import { replayedLines } from '../../testing/replayed-lines.ts';
import { resolvedOptions } from '../../testing/resolved-options.ts';
import { ampAdapter } from './backend.ts';
import { ampDialect } from './dialect.ts';
import { executeArgs } from './drivers.ts';

// Made after the documented lines of Amp, which need its server: none of them is a recording.
const session_id = 'T-5928a90d-d53b-488f-a829-4e36442142ee';
const line = (type: string, content: readonly object[], more: object = {}) => ({
  type,
  message: { type: 'message', role: type, content, usage: { input_tokens: 9, output_tokens: 4 } },
  parent_tool_use_id: null,
  session_id,
  ...more,
});
const INIT = {
  type: 'system',
  subtype: 'init',
  cwd: '/work',
  session_id,
  tools: ['Bash', 'create_file'],
  mcp_servers: [{ name: 'docs', status: 'connected' }],
};
const said = (text: string) => line('assistant', [{ type: 'text', text }]);
const asked = (text: string) => line('user', [{ type: 'text', text }]);
const used = (id: string, name: string, input: object) =>
  line('assistant', [{ type: 'tool_use', id, name, input }]);
const returned = (id: string, content: string, is_error = false) =>
  line('user', [{ type: 'tool_result', tool_use_id: id, content, is_error }]);
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'All done.',
  duration_ms: 10,
  num_turns: 2,
  session_id,
};
const read = (lines: readonly (object | string)[], end = {}) =>
  replayedLines(ampAdapter.dialects ?? [], lines, { code: 0, ...end });

describe('the output of Amp', () => {
  test('becomes messages, tools with their outcomes and a result', () => {
    const { events, result } = read([
      INIT,
      asked('Fix it'),
      said('Looking.'),
      used('t1', 'Bash', { cmd: 'npm test' }),
      returned('t1', JSON.stringify({ output: '1 failed\n', exitCode: 1 })),
      used('t2', 'create_file', { path: '/work/a.txt', content: 'a' }),
      returned('t2', 'Successfully created file /work/a.txt'),
      used('t3', 'Bash', { cmd: 'npm test' }),
      returned('t3', JSON.stringify({ output: 'ok\n', exitCode: 0 })),
      said('All done.'),
      RESULT,
    ]);
    expect(result).toMatchObject({
      outcome: 'done',
      output: 'All done.',
      nativeSessionId: session_id,
    });
    const tools = events.flatMap((each) => (each.type === 'tool.completed' ? [each] : []));
    expect(tools).toMatchObject([
      { outcome: 'error', action: { type: 'command', command: 'npm test', exitCode: 1 } },
      { outcome: 'ok', action: { type: 'file.edit', changes: [{ path: '/work/a.txt' }] } },
      { outcome: 'ok', output: 'ok\n', action: { type: 'command', exitCode: 0 } },
    ]);
    expect(events.some(({ type }) => type === 'unparsed')).toBe(false);
  });

  test('keeps the events of a sub-agent under its call', () => {
    const { events } = read([
      INIT,
      used('t1', 'Task', { description: 'Look', prompt: 'Look around' }),
      line('assistant', [{ type: 'text', text: 'Found it.' }], { parent_tool_use_id: 't1' }),
      returned('t1', 'Found it.'),
      RESULT,
    ]);
    expect(events.find(({ type }) => type === 'message.completed')).toMatchObject({
      parentId: 't1',
    });
  });

  test('fails with the error of the result', () => {
    const failed = { type: 'result', is_error: true, num_turns: 1, session_id };
    const error = 'Rate limit exceeded';
    const { result } = read([INIT, { ...failed, subtype: 'error_during_execution', error }]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'rate_limited' } });
    expect(result.error?.message).toContain(error);
  });

  test.each([
    ["Error: Couldn't connect to the Amp server at https://ampcode.com/.", 'network_unreachable'],
    ['Error: API request for getUserInfo failed: 401', 'auth_missing'],
    ['Error: Unknown command "hi". Run \'amp --help\' for the full list.', 'usage'],
    ['Error: Unexpected error inside Amp CLI.', 'agent_crashed'],
  ])('explains what it wrote to standard error: %s', (stderr, code) => {
    expect(read([], { code: 1, stderr }).result.error?.code).toBe(code);
  });

  test('is a login prompt in place of an answer', () => {
    const { result } = read([INIT, 'No API key found. Starting login flow...'], { code: null });
    expect(result.error?.code).toBe('auth_missing');
  });
});

describe('a continued thread', () => {
  function resumed(lines: readonly object[]): { said: string[]; verdict: Verdict | undefined } {
    const drafts: EventDraft[] = [];
    let verdict: Verdict | undefined;
    const dialect = ampDialect(
      {
        emit: (draft) => drafts.push(draft),
        write: () => {},
        complete: (told) => {
          verdict = told;
        },
      },
      true,
    );
    dialect.prompt?.({ text: 'Two?', images: [] });
    for (const each of lines) dialect.line(JSON.stringify(each));
    const texts = drafts.flatMap((draft) =>
      draft.type === 'message.completed' ? [draft.text ?? ''] : [],
    );
    return { said: texts, verdict };
  }

  test('does not repeat what was said before', () => {
    const { said: words, verdict } = resumed([
      INIT,
      asked('One?'),
      said('One.'),
      asked('Two?'),
      said('Two.'),
      RESULT,
    ]);
    expect(words).toEqual(['Two.']);
    expect(verdict?.outcome).toBe('done');
  });

  test('loses nothing when the prompt is not repeated', () => {
    expect(resumed([INIT, said('Two.'), RESULT]).said).toEqual(['Two.']);
  });
});

describe('the command line of Amp', () => {
  const files: Record<string, string> = {};
  const args = (more: Parameters<typeof resolvedOptions>[1], thread?: string) =>
    executeArgs(
      {
        options: resolvedOptions('/', more),
        tempFile: (name, content) => {
          files[name] = content;
          return `/private/${name}`;
        },
      },
      thread,
    );

  test('has the mode, and private files for settings and servers', () => {
    const mcpConfig = { mcpServers: { docs: { command: 'docs', env: { KEY: 'secret' } } } };
    const settings = { 'amp.notifications.enabled': false };
    expect(
      args({ providerOptions: { mode: 'high', thinking: true }, mcpConfig, settings }),
    ).toEqual([
      '--execute',
      '--stream-json',
      '--stream-json-thinking',
      '--dangerously-allow-all',
      '--mode',
      'high',
      '--settings-file',
      '/private/settings.json',
      '--mcp-config',
      '/private/mcp.json',
    ]);
    expect(JSON.parse(files['mcp.json'] ?? '')).toEqual(mcpConfig.mcpServers);
  });

  test('names the thread before its flags', () => {
    expect(args({}, 'T-1').slice(0, 4)).toEqual(['threads', 'continue', 'T-1', '--execute']);
  });
});
