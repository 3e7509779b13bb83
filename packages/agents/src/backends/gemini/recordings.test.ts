import { isObject, type Json, number, object, parseJson, string } from '@baton/config/values/json';
import { describeRecordings, type RecordedFacts } from '../../testing/describe-recordings.ts';
import type { Recording } from '../../testing/recordings.ts';
import { geminiDialects } from './backend.ts';

describeRecordings({
  agent: 'gemini',
  backend: { id: 'gemini-cli', label: 'Gemini CLI' },
  dialects: geminiDialects,
  facts,
  expected: {
    'acp-authenticate-gateway': ['done', undefined, 'Hello from fake model.'],
    'acp-cancel-pending-perm': ['failed', 'output_truncated', ''],
    'acp-cancel-stream': ['cancelled', 'interrupted', 'slow0 slow1 '],
    'acp-err401': ['failed', 'auth_missing', ''],
    'acp-flag-noop': ['failed', 'output_unreadable', ''],
    'acp-perm-allow': ['done', undefined, 'All done after tool.'],
    'acp-perm-cancelled': ['done', undefined, 'All done after tool.'],
    'acp-perm-reject': ['done', undefined, 'All done after tool.'],
    'acp-think-fail': ['done', undefined, 'All done after tool.'],
    'acp-untrusted': ['done', undefined, 'All done after tool.'],
    'bad-choice': ['failed', 'usage', ''],
    'bad-flag': ['failed', 'usage', ''],
    cutstream: ['failed', 'agent_crashed', ''],
    'dash-prompt': ['failed', 'usage', ''],
    'empty-prompt': ['failed', 'usage', ''],
    'err400-json': ['failed', 'request_rejected', ''],
    'err429-full': ['failed', 'rate_limited', ''],
    'err429-maxAttempts2': ['failed', 'rate_limited', ''],
    err500: ['failed', 'agent_crashed', ''],
    'err500-maxAttempts2': ['failed', 'provider_error', ''],
    hang: ['failed', 'agent_crashed', 'starting '],
    'home-override': ['done', undefined, 'Hello from fake model.'],
    'include-dirs': ['done', undefined, 'Hello from fake model.'],
    'missing-auth': ['failed', 'auth_missing', ''],
    'missing-auth-json': ['failed', 'auth_missing', ''],
    'plan-mode': ['done', undefined, 'All done after tool.'],
    'positional-prompt': ['done', undefined, 'Hello from fake model.'],
    'resume-bad': ['failed', 'session_not_found', ''],
    'resume-id': ['done', undefined, 'Hello from fake model.'],
    'resume-latest': ['done', undefined, 'Hello from fake model.'],
    'session-id-dup': ['failed', 'usage', ''],
    'sigint-group': ['failed', 'output_truncated', 'slow0 slow1 '],
    'sigterm-during-tool': ['failed', 'output_truncated', ''],
    'sigterm-group': ['failed', 'output_truncated', 'slow0 slow1 '],
    'sigterm-norelaunch': ['failed', 'output_truncated', 'slow0 slow1 '],
    'sigterm-pid': ['done', undefined, 'slow0 slow1 slow2 slow3 slow4 '],
    'stdin-prompt': ['done', undefined, 'Hello from fake model.'],
    'success-json': ['done', undefined, 'Hello from fake model.'],
    'success-stream-json': ['done', undefined, 'Hello from fake model.'],
    'success-text': ['done', undefined, 'Hello from fake model.'],
    'system-settings': ['failed', 'auth_missing', ''],
    think: ['done', undefined, 'Thought answer.'],
    'tool-read': ['done', undefined, 'All done after tool.'],
    'tool-write-auto_edit': ['done', undefined, 'All done after tool.'],
    'tool-write-default': ['done', undefined, 'I will write a file. '],
    toolfail: ['done', undefined, 'All done after tool.'],
    'unicode-no-2028': ['done', undefined, 'Unicode: héllo — 日本語 🚀 👩‍👩‍'],
    'untrusted-default': ['failed', 'trust_required', ''],
  },
});

function facts(recording: Recording): RecordedFacts {
  const frames = recording.lines.map((line) => object(parseJson(line)));
  return frames.some(({ jsonrpc }) => jsonrpc) ? acpFacts(frames) : printedFacts(recording, frames);
}

/** A tool that never succeeded has failed: it was refused, or the run ended before it. */
function acpFacts(frames: readonly Json[]): RecordedFacts {
  const params = frames.map((frame) => object(frame.params));
  const calls = params.flatMap(({ update, toolCall }) => [object(update), object(toolCall)]);
  const ids = (found: readonly Json[]) =>
    new Set(found.flatMap(({ toolCallId }) => toolCallId ?? [])).size;
  const counts = frames.flatMap(({ result }) => {
    const { token_count: tokens } = object(object(object(result)._meta).quota);
    return isObject(tokens) ? [tokens] : [];
  });
  const sum = (name: string) =>
    counts.reduce<number | undefined>(
      (total, each) => (total ?? 0) + Number(each[name]),
      undefined,
    );
  return {
    sessionId: string(params.findLast(({ sessionId }) => sessionId)?.sessionId),
    tools: ids(calls),
    failedTools: ids(calls) - ids(calls.filter(({ status }) => status === 'completed')),
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
  };
}

function printedFacts({ stdout }: Recording, frames: readonly Json[]): RecordedFacts {
  const whole = object(parseJson(stdout));
  const ofType = (wanted: string) => frames.filter(({ type }) => type === wanted);
  const result = frames.find(({ type }) => type === 'result');
  const { input_tokens: input, total_tokens: total } = object(result?.stats);
  const lastTool = frames.findLastIndex(({ type }) => type === 'tool_use');
  const said = frames
    .slice(lastTool + 1)
    .flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
  const models = Object.values(object(object(whole.stats).models)).map((model) =>
    object(object(model).tokens),
  );
  const inputTokens = number(input) ?? number(models[0]?.prompt);
  const totalTokens = number(total) ?? number(models[0]?.total);
  return {
    ...(result?.status === 'success' && { text: said.join('') }),
    ...(typeof whole.response === 'string' && { text: whole.response }),
    sessionId:
      string(whole.session_id) ?? string(frames.find(({ type }) => type === 'init')?.session_id),
    tools: ofType('tool_use').length,
    failedTools:
      ofType('tool_use').length -
      ofType('tool_result').filter(({ status }) => status === 'success').length,
    inputTokens,
    outputTokens: totalTokens === undefined ? undefined : totalTokens - (inputTokens ?? 0),
  };
}
