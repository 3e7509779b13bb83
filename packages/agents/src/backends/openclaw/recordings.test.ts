import { array, type Json, object, parseJson, string } from '@baton/config/values/json';
import { describe, expect, test } from 'vitest';
import {
  describeRecordings,
  type ExpectedEnd,
  type RecordedFacts,
} from '../../testing/describe-recordings.ts';
import { brokenPromises, type Recording, recording, replayed } from '../../testing/recordings.ts';
import { openClawFormat } from './dialect.ts';

const OPENCLAW = { id: 'openclaw', label: 'OpenClaw' };
const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(OPENCLAW, [openClawFormat], it);

/** A recording without a run, or without the response that ends it. */
const NO_END = ['failed', 'interrupted', ''] as const;

/** Expected end of each recording: outcome, error code, and the beginning of its output. */
const EXPECTED: Readonly<Record<string, ExpectedEnd>> = {
  '10-shared-token-new-device': NO_END,
  '11-device-token-as-auth.token': NO_END,
  '14-device-token-mismatch-auth.token': ['failed', 'auth_missing', ''],
  '15b-device-token-mismatch-both': ['failed', 'auth_missing', ''],
  '16-shared-ok-plus-bad-deviceToken': NO_END,
  '16b-shared-bad-plus-good-deviceToken': NO_END,
  '19-no-device-gateway-client-backend': NO_END,
  '20-device-gateway-client-backend': NO_END,
  '21-wrong-signature': ['failed', 'access_denied', ''],
  '22-signed-wrong-token': ['failed', 'access_denied', ''],
  '23-v2-signature': NO_END,
  '25-wrong-nonce': ['failed', 'access_denied', ''],
  '26-missing-nonce': ['failed', 'access_denied', ''],
  '28-device-id-mismatch': ['failed', 'access_denied', ''],
  '29b-protocol-3-to-5': NO_END,
  '30-bad-client-id': ['failed', 'access_denied', ''],
  '32-role-unknown': ['failed', 'access_denied', ''],
  '35-remote-like-new-device-xff': NO_END,
  '36-client-test-test': NO_END,
  '37-metadata-platform-change': ['failed', 'approval_required', ''],
  '38-gateway-client-cli-mode': NO_END,
  '41-tool-call': ['done', undefined, 'tool said: hi-from-tool'],
  '42-tool-call-no-cap': ['done', undefined, 'tool said: hi-from-tool'],
  '44-abort-sessions.abort': ['cancelled', 'interrupted', 'w0'],
  '45-provider-500': ['failed', 'provider_error', ''],
  '46-provider-401': ['failed', 'auth_missing', ''],
  '47-media': ['done', undefined, 'here is a picture'],
  '48-timeout': ['timed_out', 'timed_out', 'Request timed out before '],
  '49-bad-params': ['failed', 'request_rejected', ''],
  '50-chat.send': ['done', undefined, 'pong: [Sun 2026-11-15 02:'],
  '51-concurrent-same-session': ['done', undefined, 'pong: [Sun 2026-11-15 02:'],
  '53-no-write-scope': ['failed', 'access_denied', ''],
  '54-provider-400': ['failed', 'request_rejected', ''],
  '55-silent-empty-media': ['done', undefined, 'two'],
  '56-minimal-gateway-empty-media': ['failed', 'agent_failed', ''],
  '60-pairing-admin-side': NO_END,
  '61-pairing-required': ['failed', 'approval_required', ''],
  '63-after-approve': NO_END,
  '65-scope-upgrade-with-device-token': ['failed', 'auth_missing', ''],
  '66-scope-upgrade-with-shared': ['failed', 'approval_required', ''],
  '67-rotate-while-connected': NO_END,
  '69-retry-with-shared-token': NO_END,
  '70-revoked-device-token': ['failed', 'auth_missing', ''],
  '71-after-revoke-shared': ['failed', 'approval_required', ''],
  '72-removed-device-token': ['failed', 'auth_missing', ''],
  '81-approval-headless-denied-agent-2': [
    'failed',
    'approval_required',
    'tool said: {\n  "status": ',
  ],
  '82-approval-no-scope': ['failed', 'approval_required', 'tool said: {\n  "status": '],
  '84-approval-headless-denied-chat.send-2': [
    'failed',
    'approval_required',
    'tool said: {\n  "status": ',
  ],
  '85-admin': NO_END,
  '87-approval-headless-denied-same-device-2nd-conn-reviewer': NO_END,
  '88-approval-deny': ['failed', 'approval_required', 'tool said: Exec denied (g'],
  '90-disconnect-mid-run': ['done', undefined, 'pong: node=unknown | mode'],
  '95-ticks-and-ws-pings': NO_END,
  '96-startup-gw5-minimal': NO_END,
  '97-gateway-shutdown-inflight': ['done', undefined, 'w0 w1 w2 w3 w4 w5 w6 w7 w'],
  '98c-handshake-timeout': NO_END,
  '98d-connect-twice': ['failed', 'agent_failed', ''],
  '99-gateway-killed-mid-run': ['failed', 'interrupted', 'w0'],
  'old-10-connect-agent-turn': NO_END,
  'old-11-device-token-as-auth.token': NO_END,
  'old-14-mismatch-auth.token': ['failed', 'auth_missing', ''],
  'old-15-mismatch-auth.deviceToken': ['failed', 'auth_missing', ''],
  'old-20-gateway-client-backend': NO_END,
  'old-21-wrong-signature': ['failed', 'access_denied', ''],
  'old-29-protocol-4-only': ['failed', 'capability_missing', ''],
};

describeRecordings({
  agent: 'openclaw',
  backend: OPENCLAW,
  dialects: [openClawFormat],
  expected: EXPECTED,
  facts,
});

test('a recording of the messages of the gateway alone gives the same', () => {
  const both = recording('openclaw', '41');
  const lines = both.lines.flatMap((line) => {
    const { dir, frame } = object(parseJson(line));
    return dir === 'in' ? [JSON.stringify(frame)] : [];
  });
  const { result } = replay({ lines, end: both.end });
  expect(result).toEqual({ ...replay(both).result, durationMs: expect.any(Number) });
});

describe('an approval', () => {
  test.each([
    ['81', 'Headless runs cannot wait for interactive exec approval'],
    ['82', 'missing scope: operator.approvals'],
    ['88', 'exec.approval'],
  ])('that is missing in %s fails the run with a word that runners know', (name, words) => {
    const { events, result } = replay(recording('openclaw', name));
    expect(result.error?.code).toBe('approval_required');
    expect(result.error?.message).toContain(words);
    const ended = events.flatMap((event) =>
      event.type === 'tool.completed' ? [event.outcome] : [],
    );
    expect(ended).toEqual(['denied']);
  });
});

/** A recording of a client that reviews approvals, as if it had started the run that it sees. */
function approved(): Pick<Recording, 'lines' | 'end'> {
  const { lines, end } = recording('openclaw', '85');
  const runId = 'dd8335c2-1e3d-431f-b57d-ae062dad9d60';
  const recorded = (dir: string, frame: Json) => JSON.stringify({ t: 0, dir, frame });
  const response = (payload: Json) =>
    recorded('in', { type: 'res', id: '9', ok: true, payload: { runId, ...payload } });
  const prompt = { type: 'req', id: '9', method: 'agent', params: { idempotencyKey: runId } };
  const result = { payloads: [{ text: 'tool said: single-admin\nLinux' }] };
  const start = lines.findIndex((line) => line.includes(runId));
  return {
    lines: [
      ...lines.slice(0, start),
      recorded('out', prompt),
      response({ status: 'accepted', sessionKey: 'agent:main:x' }),
      ...lines.slice(start),
      response({ status: 'ok', summary: 'completed', result }),
    ],
    end,
  };
}

test('a run that was approved and then finished is done, and shows what was asked', () => {
  const { events, result } = replay(approved());
  expect(result).toMatchObject({ outcome: 'done', output: 'tool said: single-admin\nLinux' });
  const [asked] = events.filter((event) => event.type === 'permission.requested');
  expect(asked).toMatchObject({
    tool: 'exec',
    action: { type: 'command' },
    reason: 'Exec print text → run uname',
  });
  expect(events.filter((event) => event.type === 'permission.resolved')).toMatchObject([
    { requestId: asked?.requestId, decision: 'allow', synthetic: true },
  ]);
  expect(brokenPromises(events)).toEqual([]);
});

test('an approval that was denied is shown as such', () => {
  const { events } = replay(recording('openclaw', '88'));
  expect(events.filter((event) => event.type === 'permission.requested')).toMatchObject([
    { action: { type: 'command', command: 'echo deny-conn && uname -s' } },
  ]);
  expect(events.filter((event) => event.type === 'permission.resolved')).toMatchObject([
    { decision: 'deny' },
  ]);
});

test('the prompt of a chat gives the same without the requests of the client', () => {
  const both = recording('openclaw', '50');
  const lines = both.lines.filter((line) => object(parseJson(line)).dir !== 'out');
  expect(replay({ lines, end: both.end }).result).toMatchObject({
    outcome: 'done',
    output: replay(both).result.output,
  });
});

test.each([
  ['aborted', {}, 'cancelled', 'interrupted'],
  ['error', { errorMessage: 'HTTP 429 slow down' }, 'failed', 'rate_limited'],
])('a chat that ends as %s is no success', (state, more, outcome, code) => {
  const { lines, end } = recording('openclaw', '50');
  const changed = lines.map((line) =>
    line.includes('"state":"final"')
      ? line.replace(
          '"state":"final"',
          `"state":"${state}",${JSON.stringify(more).slice(1, -1) || '"x":1'}`,
        )
      : line,
  );
  expect(replay({ lines: changed, end }).result).toMatchObject({ outcome, error: { code } });
});

test.each(['health', 'chat.history'])(
  'a first frame %s that is refused has its reason',
  (method) => {
    const message = 'invalid handshake: first request must be connect';
    const error = { code: 'INVALID_REQUEST', message };
    const frames = [
      { dir: 'in', frame: { type: 'event', event: 'connect.challenge', payload: { nonce: 'n' } } },
      { dir: 'out', frame: { type: 'req', id: '1', method, params: {} } },
      { dir: 'in', frame: { type: 'res', id: '1', ok: false, error } },
      { dir: 'close', code: 1008, reason: message },
    ];
    for (const kept of [frames, frames.filter(({ dir }) => dir !== 'out')]) {
      const lines = kept.map((each) => JSON.stringify({ t: 0, ...each }));
      const { result } = replay({ lines, end: { code: null, signal: null, stderr: '' } });
      expect(result).toMatchObject({
        outcome: 'failed',
        error: { code: 'access_denied', message: expect.stringContaining(message) },
      });
    }
  },
);

test('media are reported by their addresses, one or several', () => {
  const mediaIn = (name: string) =>
    replay(recording('openclaw', name)).events.flatMap((event) =>
      event.type === 'notice' ? array(object(event.data).media) : [],
    );
  expect(mediaIn('47')).toEqual(['https://example.invalid/cat.png']);
  expect(mediaIn('55')).toEqual(['https://example.invalid/a.png', 'https://example.invalid/b.png']);
});

test('a command has its output and its exit code', () => {
  const { events } = replay(recording('openclaw', '41'));
  const tools = events.filter(({ type }) => type === 'tool.completed');
  expect(tools).toMatchObject([
    {
      outcome: 'ok',
      output: 'hi-from-tool',
      action: { type: 'command', command: 'echo hi-from-tool', exitCode: 0 },
    },
  ]);
});

test('retries of the model are notices', () => {
  const { events } = replay(recording('openclaw', '45'));
  const retries = events.filter((event) => event.type === 'notice' && event.code === 'retry');
  expect(retries.length).toBeGreaterThan(3);
});

/** Reads the facts from the frames, without the dialect. */
function facts({ lines }: Recording): RecordedFacts | undefined {
  const recorded = lines.map((line) => object(parseJson(line)));
  const received = recorded.flatMap(({ dir, frame }) => (dir === 'in' ? [object(frame)] : []));
  const prompts = recorded.flatMap(({ dir, frame }) => {
    const { method, params } = object(frame);
    return dir === 'out' && method === 'agent' ? [object(params)] : [];
  });
  const keys = new Set(prompts.map(({ idempotencyKey }) => idempotencyKey));
  const payloads = received.map(({ payload }) => object(payload));
  const accepted = payloads.filter(({ status }) => status === 'accepted');
  const finals = firstOfEach(payloads.filter(({ summary }) => summary !== undefined));
  const last = finals.at(-1);
  // A run that was still going ends with the recording, which the frames do not tell.
  const ended = [...finals, ...payloads.filter(isWaitedFor)].map(({ runId }) => runId);
  if (!last || !accepted.every(({ runId }) => ended.includes(runId))) return undefined;
  const data = (stream: string) =>
    received.flatMap(({ event, payload }) => {
      const { runId, stream: name, data: content } = object(payload);
      return event === 'agent' && name === stream && keys.has(runId) ? [object(content)] : [];
    });
  const tools = data('item').filter(({ kind, phase }) => kind === 'tool' && phase === 'end');
  const consumed = finals.flatMap(({ result }) => {
    const { usage } = object(object(object(result).meta).agentMeta);
    return usage === undefined ? [] : [object(usage)];
  });
  // All that is known of a run whose response was lost.
  const lost = payloads.filter(isWaitedFor).filter(({ runId }) => !hasFinal(finals, runId));
  const partial = received.flatMap(({ event, payload }) => {
    const { runId, stream, data: content } = object(payload);
    const isLost = event === 'agent' && stream === 'usage' && lost.some((it) => it.runId === runId);
    return isLost ? [{ output: object(content).outputTokens }] : [];
  });
  const sum = (...names: string[]) =>
    consumed.length === 0
      ? undefined
      : [...consumed, ...partial]
          .flatMap((usage: Json) => names.map((name) => Number(usage[name] ?? 0)))
          .reduce(add, 0);
  const texts = array(object(last.result).payloads).flatMap(
    (payload) => string(object(payload).text) || [],
  );
  return {
    ...(last.status === 'ok' ? { text: texts.join('\n\n') } : {}),
    ...(last.status === 'error' ? { error: string(last.summary) } : {}),
    sessionId: string(accepted.at(-1)?.sessionKey),
    tools: tools.length,
    failedTools: tools.filter(({ status }) => status !== 'completed').length,
    inputTokens: sum('input', 'cacheRead', 'cacheWrite'),
    ...(consumed.length > 0 ? { outputTokens: sum('output') } : { outputTokens: undefined }),
  };
}

/** The end of a run as `agent.wait` tells it. */
function isWaitedFor({ status, endedAt, summary }: Json): boolean {
  return status === 'ok' && endedAt !== undefined && summary === undefined;
}

function hasFinal(finals: readonly Json[], id: unknown): boolean {
  return finals.some(({ runId }) => runId === id);
}

/** The same response may be sent again. */
function firstOfEach(finals: readonly Json[]): Json[] {
  return [
    ...new Map(finals.toReversed().map((final) => [final.runId, final])).values(),
  ].toReversed();
}

function add(sum: number, more: number): number {
  return sum + more;
}
