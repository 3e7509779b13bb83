import type { ScriptStep } from '../../../../agent-tools/src/conformance/index.ts';

/** A tool that the stand-in used, and how it ended. */
export type Tool = Extract<ScriptStep, { shell: string } | { write: object }>;
export type Ended = { output: string; exitCode: number };

/** Output of the stand-in, in the documented lines of one agent. */
type Voice = {
  begin(session: string, prompt: string): object[];
  think?(text: string): object[];
  say(text: string): object[];
  started(id: string, tool: Tool): object[];
  ended(id: string, tool: Tool, end: Ended): object[];
  /** The end of a turn that went well. */
  done(answer: string): object[];
};

/** Prints like Claude Code; Amp has other tools, and prints the result of a command as JSON. */
function claudeLike(isAmp: boolean): Voice {
  let session = '';
  const assistant = (block: object) => ({
    type: 'assistant',
    message: {
      id: `msg-${Math.random()}`,
      type: 'message',
      role: 'assistant',
      content: [block],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
    parent_tool_use_id: null,
    session_id: session,
  });
  const user = (block: object) => ({
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: null,
    session_id: session,
  });
  return {
    begin(id, prompt) {
      session = id;
      const init = { type: 'system', subtype: 'init', cwd: process.cwd(), session_id: id };
      return [{ ...init, tools: [], mcp_servers: [] }, user({ type: 'text', text: prompt })];
    },
    think: (text) => [assistant({ type: 'thinking', thinking: text })],
    say: (text) => [assistant({ type: 'text', text })],
    started: (id, tool) => [assistant({ type: 'tool_use', id, ...claudeCall(tool, isAmp) })],
    ended: (id, tool, { output, exitCode }) => {
      const isCommand = isAmp && 'shell' in tool;
      const content = isCommand
        ? JSON.stringify({ output, exitCode })
        : claudeText(output, exitCode);
      const is_error = !isCommand && exitCode !== 0;
      return [user({ type: 'tool_result', tool_use_id: id, content, is_error })];
    },
    done: (result) => [
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result,
        num_turns: 1,
        duration_ms: 1,
        session_id: session,
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    ],
  };
}

function claudeText(output: string, exitCode: number): string {
  return exitCode === 0 ? output : `Exit code ${exitCode}\n${output}`;
}

function claudeCall(tool: Tool, isAmp: boolean) {
  if ('shell' in tool) {
    return { name: 'Bash', input: isAmp ? { cmd: tool.shell } : { command: tool.shell } };
  }
  const { path, content } = tool.write;
  if (isAmp) return { name: 'create_file', input: { path, content } };
  return { name: 'Write', input: { file_path: path, content } };
}

function cursor(): Voice {
  let session_id = '';
  const call = (subtype: string, call_id: string, tool_call: object) => ({
    type: 'tool_call',
    subtype,
    call_id,
    tool_call,
    session_id,
  });
  const kind = (tool: Tool, result?: object) =>
    'shell' in tool
      ? { shellToolCall: { args: { command: tool.shell }, result } }
      : {
          writeToolCall: { args: { path: tool.write.path, fileText: tool.write.content }, result },
        };
  const said: string[] = [];
  return {
    begin(id, prompt) {
      session_id = id;
      const message = { role: 'user', content: [{ type: 'text', text: prompt }] };
      return [
        {
          type: 'system',
          subtype: 'init',
          apiKeySource: 'env',
          cwd: process.cwd(),
          session_id,
          model: 'Stand-in',
          permissionMode: 'default',
        },
        { type: 'user', message, session_id },
      ];
    },
    think: (text) => [
      { type: 'thinking', subtype: 'delta', text, session_id, timestamp_ms: 1 },
      { type: 'thinking', subtype: 'completed', session_id, timestamp_ms: 2 },
    ],
    say(text) {
      said.push(text);
      const message = { role: 'assistant', content: [{ type: 'text', text }] };
      return [{ type: 'assistant', message, session_id }];
    },
    started: (id, tool) => [call('started', id, kind(tool))],
    ended(id, tool, { output, exitCode }) {
      if (!('shell' in tool)) {
        const success = { path: tool.write.path, linesCreated: 1, fileSize: 1 };
        return [call('completed', id, kind(tool, { success }))];
      }
      const facts = { command: tool.shell, exitCode, stdout: output, stderr: '' };
      return [call('completed', id, kind(tool, { [exitCode ? 'failure' : 'success']: facts }))];
    },
    done: () => [
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        duration_ms: 1,
        duration_api_ms: 1,
        // All that was said, not only the answer.
        result: said.join(''),
        session_id,
        usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 0 },
      },
    ],
  };
}

function codex(): Voice {
  const item = (type: string, fields: object) => ({ type, item: fields });
  const call = (id: string, tool: Tool, end?: Ended) => {
    const status = end ? (end.exitCode === 0 ? 'completed' : 'failed') : 'in_progress';
    if ('shell' in tool) {
      const output = { aggregated_output: end?.output ?? '', exit_code: end?.exitCode ?? null };
      return { id, type: 'command_execution', command: tool.shell, ...output, status };
    }
    return { id, type: 'file_change', changes: [{ path: tool.write.path, kind: 'add' }], status };
  };
  let count = 0;
  const next = () => {
    count += 1;
    return `item_${count}`;
  };
  return {
    begin: (thread_id) => [{ type: 'thread.started', thread_id }, { type: 'turn.started' }],
    think: (text) => [item('item.completed', { id: next(), type: 'reasoning', text })],
    say: (text) => [item('item.completed', { id: next(), type: 'agent_message', text })],
    started: (id, tool) => [item('item.started', call(id, tool))],
    ended: (id, tool, end) => [item('item.completed', call(id, tool, end))],
    done: () => [
      {
        type: 'turn.completed',
        usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5 },
      },
    ],
  };
}

function gemini(): Voice {
  const timestamp = '2026-01-01T00:00:00.000Z';
  return {
    begin: (session_id, content) => [
      { type: 'init', timestamp, session_id, model: 'stand-in' },
      { type: 'message', timestamp, role: 'user', content },
    ],
    say: (content) => [{ type: 'message', timestamp, role: 'assistant', content, delta: true }],
    started: (tool_id, tool) => {
      const [tool_name, parameters] =
        'shell' in tool
          ? ['run_shell_command', { command: tool.shell }]
          : ['write_file', { file_path: tool.write.path, content: tool.write.content }];
      return [{ type: 'tool_use', timestamp, tool_name, tool_id, parameters }];
    },
    ended: (tool_id, _tool, { output, exitCode }) => [
      { type: 'tool_result', timestamp, tool_id, status: exitCode ? 'error' : 'success', output },
    ],
    done: () => [
      {
        type: 'result',
        timestamp,
        status: 'success',
        stats: { total_tokens: 15, input_tokens: 10, output_tokens: 5 },
      },
    ],
  };
}

function openCode(): Voice {
  let sessionID = '';
  let count = 0;
  const part = (type: string, fields: object) => {
    count += 1;
    return {
      type,
      timestamp: count,
      sessionID,
      part: { id: `prt_${count}`, sessionID, ...fields },
    };
  };
  return {
    begin(id) {
      sessionID = id;
      return [part('step_start', { type: 'step-start' })];
    },
    think: (text) => [part('reasoning', { type: 'reasoning', text })],
    say: (text) => [part('text', { type: 'text', text })],
    started: () => [],
    ended(callID, tool, { output, exitCode }) {
      const [name, input] =
        'shell' in tool
          ? ['bash', { command: tool.shell }]
          : ['write', { filePath: tool.write.path, content: tool.write.content }];
      const state = { status: 'completed', input, output, metadata: { output, exit: exitCode } };
      return [part('tool_use', { type: 'tool', tool: name, callID, state })];
    },
    done: () => [
      part('step_finish', {
        type: 'step-finish',
        reason: 'stop',
        tokens: { total: 15, input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } },
        cost: 0.001,
      }),
    ],
  };
}

/** The events of Baton, as a compiled agent prints them. */
function batonJson(): Voice {
  let seq = 0;
  const event = (rest: object) => ({ seq: ++seq, time: Date.now(), runId: 'run', ...rest });
  const message = (kind: string, text: string) => {
    const messageId = `m${seq}`;
    return [
      event({ type: 'message.started', messageId, kind }),
      event({ type: 'message.delta', messageId, kind, text }),
      event({ type: 'message.completed', messageId, kind, text }),
    ];
  };
  const callOf = (tool: Tool, exitCode?: number) =>
    'shell' in tool
      ? { name: 'shell', action: { type: 'command', command: tool.shell, exitCode } }
      : {
          name: 'write',
          action: { type: 'file.edit', changes: [{ path: tool.write.path, kind: 'add' }] },
        };
  return {
    begin(nativeSessionId) {
      const facts = { backend: 'demo', transport: 'live', cwd: process.cwd() };
      return [
        event({ type: 'run.started', ...facts }),
        event({ type: 'run.identified', nativeSessionId }),
      ];
    },
    think: (text) => message('thinking', text),
    say: (text) => message('text', text),
    started: (callId, tool) => [event({ type: 'tool.started', callId, ...callOf(tool) })],
    ended: (callId, tool, { output, exitCode }) => {
      const outcome = exitCode === 0 ? 'ok' : 'error';
      const end = { callId, ...callOf(tool, exitCode), outcome, output };
      return [event({ type: 'tool.completed', ...end })];
    },
    done: (output) => {
      const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
      return [event({ type: 'run.completed', outcome: 'done', output, usage, durationMs: 1 })];
    },
  };
}

/** The formats that the stand-in can print; the one of plain text is its own. */
export const VOICES: Readonly<Record<string, () => Voice>> = {
  amp: () => claudeLike(true),
  'claude-stream-json': () => claudeLike(false),
  cursor,
  'codex-jsonl': codex,
  'gemini-stream-json': gemini,
  'opencode-json': openCode,
  'baton-json': batonJson,
};
