import { number, object, parseJson } from '@baton/config/values/json';
import { expect, test } from 'vitest';
import { describeRecordings, type ExpectedEnd } from '../../testing/describe-recordings.ts';
import { type Recording, recording, replayed } from '../../testing/recordings.ts';
import { codexDialects } from './backend.ts';

const CODEX = { id: 'codex-cli', label: 'Codex' };
const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(CODEX, codexDialects, it);

/** Expected end of each recording: outcome, error code, and the beginning of its output. */
const EXPECTED: Readonly<Record<string, ExpectedEnd>> = {
  '02-tool-bypass': ['done', undefined, 'Done after 1 tool result(s).'],
  '04-apply-patch-bypass': ['done', undefined, 'Done after 1 tool result(s).'],
  '05-apply-patch-readonly-sandbox': ['done', undefined, 'Done after 1 tool result(s).'],
  '06-apply-patch-workspace-write': ['done', undefined, 'Done after 1 tool result(s).'],
  '07-human-format-no-json': ['done', undefined, 'Done after 1 tool result(s).'],
  '08-prompt-stdin-dash': ['done', undefined, 'Plain answer for plain.'],
  '10-prompt-arg-plus-stdin-pipe': ['done', undefined, 'Plain answer for plain.'],
  '11-stdin-pipe-left-open-hangs': ['failed', 'agent_crashed', ''],
  '12-empty-stdin': ['failed', 'usage', ''],
  '13-resume-by-id': ['done', undefined, 'Plain answer for plain.'],
  '15-resume-last': ['done', undefined, 'Plain answer for plain.'],
  '16-resume-unknown-id': ['failed', 'session_not_found', ''],
  '17-fork': ['done', undefined, 'Plain answer for plain.'],
  '20-not-a-git-repo': ['failed', 'trust_required', ''],
  '21-skip-git-repo-check': ['done', undefined, 'Plain answer for plain.'],
  '22-output-schema-and-last-message': ['done', undefined, '{"name":"Ada","age":36}'],
  '24-output-schema-nonconforming': ['done', undefined, 'Plain answer for plain.'],
  '26-bad-config-type': ['failed', 'config_invalid', ''],
  '28-codex-home-missing-dir': ['failed', 'config_invalid', ''],
  '31-model-gpt-6.1-sol': ['done', undefined, 'Done after 1 tool result(s).'],
  '32-multi-tools-one-fails': ['done', undefined, 'Done after 2 tool result(s).'],
  '33-bad-tool-name': ['done', undefined, 'Done after 1 tool result(s).'],
  '34-update-plan': ['done', undefined, 'Done after 1 tool result(s).'],
  '35-mcp-tool-call-bypass': ['done', undefined, 'Done after 1 tool result(s).'],
  '36-mcp-tool-call-default-approval': ['done', undefined, 'Done after 1 tool result(s).'],
  '37-mcp-server-fails-to-start': ['done', undefined, 'Plain answer for plain.'],
  '41-web-search-item': ['done', undefined, 'searched'],
  '42-empty-response': ['done', undefined, ''],
  '44b-write-outside-sandbox-repeat': ['done', undefined, 'Done after 1 tool result(s).'],
  '44d-multi-fail-in-sandbox': ['done', undefined, 'Done after 2 tool result(s).'],
  '44e-multi-fail-bypass': ['done', undefined, 'Done after 2 tool result(s).'],
  '45-ignore-user-config-profile': ['done', undefined, 'Plain answer for plain.'],
  '47-developer-instructions-config': ['done', undefined, 'Plain answer for plain.'],
  '48-no-auth-default-provider': ['failed', 'agent_crashed', ''],
  '51-api-403': ['failed', 'access_denied', ''],
  '53-api-404': ['failed', 'model_not_found', ''],
  '55-api-429-quota': ['failed', 'quota_exhausted', ''],
  '58-api-500-retries1': ['failed', 'provider_error', ''],
  '62-stream-drop-default-retries': ['failed', 'provider_error', ''],
  '63-stream-drop-once-recovers': ['done', undefined, 'partial text before the drop ....'],
  '65-connection-refused': ['failed', 'agent_crashed', ''],
  '66-hang-idle-timeout-3000': ['failed', 'agent_crashed', ''],
  '67-slow-stream-idle-ok-then-sigterm': ['failed', 'interrupted', ''],
  '68-sigint-midstream': ['failed', 'interrupted', ''],
  '70-sigterm-during-shell': ['failed', 'interrupted', ''],
  '71-sigint-during-shell': ['failed', 'interrupted', ''],
  '72-sigkill-during-shell': ['done', undefined, 'Done after 1 tool result(s).'],
  '73-stall-midstream-idle-timeout-3000': ['failed', 'provider_error', ''],
  '74-stdout-reader-closed': ['failed', 'agent_crashed', ''],
  '75-prompt-starting-with-dash': ['done', undefined, 'Plain answer for plain.'],
  '77-openai-base-url-env-and-key': ['failed', 'agent_crashed', ''],
  '78-openai-base-url-config-codex-api-key': ['done', undefined, 'Plain answer for plain.'],
  '80-appserver-plain': ['done', undefined, 'Plain answer for plain.'],
  '81-appserver-tool': ['done', undefined, 'Done after 1 tool result(s).'],
  '82-appserver-command-approval-accept': ['done', undefined, 'Done after 1 tool result(s).'],
  '83-appserver-command-approval-decline': ['done', undefined, 'Done after 1 tool result(s).'],
  '84-appserver-command-approval-cancel': ['cancelled', 'interrupted', ''],
  '87-appserver-approval-untrusted-policy': ['done', undefined, 'Done after 1 tool result(s).'],
  '89-appserver-interrupt-during-shell': ['cancelled', 'interrupted', ''],
  '90-appserver-interrupt-while-approval-pending': ['cancelled', 'interrupted', ''],
  '93-appserver-not-initialized-and-bad-input': ['failed', 'interrupted', ''],
  '94-appserver-resume-fork-read-list': ['done', undefined, 'Plain answer for plain.'],
  '96-appserver-api-401': ['failed', 'auth_missing', ''],
  '97-appserver-api-500': ['failed', 'provider_error', ''],
  '98-appserver-steer': ['done', undefined, 'Done after 3 tool result(s).'],
  '99-appserver-request-user-input': ['done', undefined, 'Done after 1 tool result(s).'],
  '100-appserver-output-schema': ['done', undefined, '{"name":"Ada","age":36}'],
  '102-appserver-sigterm-idle': ['failed', 'interrupted', ''],
  '103-appserver-sigterm-mid-turn': ['failed', 'interrupted', 'w0 w'],
  '105-appserver-model-list-config': ['failed', 'interrupted', ''],
  '111-concurrent-seed': ['done', undefined, 'Plain answer for plain.'],
  '112-concurrent-resume-a': ['done', undefined, 'Done after 3 tool result(s).'],
  '114-last-message-on-failure': ['failed', 'request_rejected', ''],
  '115-toplevel-ask-for-approval-on-request': ['done', undefined, 'Done after 1 tool result(s).'],
  '116-config-approval-on-request': ['done', undefined, 'Done after 1 tool result(s).'],
  '117-full-auto-flag': ['failed', 'usage', ''],
  '118-color-never-human-error': ['failed', 'request_rejected', ''],
  '120-resume-cd-flag': ['failed', 'usage', ''],
  '121-home-unset': ['done', undefined, 'Plain answer for plain.'],
};

describeRecordings({
  agent: 'codex',
  backend: CODEX,
  dialects: codexDialects,
  expected: EXPECTED,
  facts: (it) => ({ sessionId: sessionOf(it), ...tokensOf(it) }),
});

test('the answers that a recording does not have are inferred', () => {
  const decisions = (name: string) =>
    replay(recording('codex', name)).events.flatMap((event) =>
      event.type === 'permission.resolved' ? [[event.decision, event.synthetic]] : [],
    );
  expect(decisions('82')).toEqual([['allow', true]]);
  expect(decisions('83')).toEqual([['deny', true]]);
  expect(decisions('84')).toEqual([['deny', true]]);
  expect(decisions('90')).toEqual([['cancelled', true]]);
});

test('a denied command is reported as denied, an interrupted one as cancelled', () => {
  const outcomes = (name: string) =>
    replay(recording('codex', name)).events.flatMap((event) =>
      event.type === 'tool.completed' ? [event.outcome] : [],
    );
  expect(outcomes('83')).toEqual(['denied']);
  expect(outcomes('89')).toEqual(['cancelled']);
  expect(outcomes('32').sort()).toEqual(['error', 'ok']);
});

test.each(['93', '102', '105'])(
  'recording %s, which has no turn, is not reported as interrupted',
  (name) => {
    expect(replay(recording('codex', name)).result.error?.message).toBe(
      'Codex ended before a turn started.',
    );
  },
);

test('the reason of a failure in the human format is what Codex reported, not its banner', () => {
  const { result } = replay(recording('codex', '118'));
  expect(result.error).toMatchObject({ code: 'request_rejected', message: 'Bad request thing' });
});

/** The id of the thread, read without the dialects: the last one that was started, resumed or forked. */
function sessionOf({ lines }: Recording): string | undefined {
  const ids = lines.map((line) => {
    const frame = object(parseJson(line));
    if (frame.type === 'thread.started') return frame.thread_id;
    const { thread, model } = object(frame.result);
    return model === undefined ? undefined : object(thread).id;
  });
  const last = ids.findLast((id) => id !== undefined);
  return last === undefined ? undefined : String(last);
}

/** The tokens, read without the dialects: the sum of the requests, or the total that `exec` tells. */
function tokensOf({ lines }: Recording) {
  const frames = lines.map((line) => object(parseJson(line)));
  const turns = new Set(
    frames.flatMap(({ method, params }) =>
      method === 'turn/started' ? [object(params).threadId] : [],
    ),
  );
  const counts = frames.flatMap(({ type, usage, method, params }) => {
    if (type === 'turn.completed') {
      const { input_tokens: input, output_tokens: output } = object(usage);
      return [[number(input) ?? 0, number(output) ?? 0]];
    }
    const { tokenUsage, threadId } = object(params);
    if (method !== 'thread/tokenUsage/updated' || !turns.has(threadId)) return [];
    const { inputTokens, outputTokens } = object(object(tokenUsage).last);
    return [[number(inputTokens) ?? 0, number(outputTokens) ?? 0]];
  });
  if (counts.length === 0) return { inputTokens: undefined, outputTokens: undefined };
  const sum = (index: number) => counts.reduce((total, count) => total + (count[index] ?? 0), 0);
  return { inputTokens: sum(0), outputTokens: sum(1) };
}
