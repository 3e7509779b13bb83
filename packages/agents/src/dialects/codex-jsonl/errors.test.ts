import { describe, expect, test } from 'vitest';
import { codexError, judgeCodexEnd } from './errors.ts';

describe('the kind of error that the app server names', () => {
  test.each([
    ['contextWindowExceeded', 'context_too_long'],
    ['usageLimitExceeded', 'quota_exhausted'],
    ['rateLimitExceeded', 'rate_limited'],
    ['serverOverloaded', 'overloaded'],
    ['modelNotFound', 'model_not_found'],
    ['unauthorized', 'auth_missing'],
    ['badRequest', 'request_rejected'],
    ['internalServerError', 'provider_error'],
    ['cyberPolicy', 'refused'],
    ['tooManyDenials', 'permission_denied'],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'auth_missing'],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'rate_limited'],
    [{ httpConnectionFailed: { httpStatusCode: 502 } }, 'provider_error'],
    [{ responseStreamDisconnected: { httpStatusCode: null } }, 'provider_error'],
    ['other', 'agent_failed'],
    ['brandNew', 'agent_failed'],
    [{ brandNew: {} }, 'provider_error'],
    ['constructor', 'agent_failed'],
    [null, 'agent_failed'],
  ])('%j is %s', (info, code) => {
    expect(codexError('Something.', info)).toMatchObject({ code, message: 'Something.' });
  });
});

describe('a prompt that is too long', () => {
  const words = 'Your input exceeds the context window of this model.';
  const json = JSON.stringify({
    error: { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' },
  });

  test.each([
    [words, 'badRequest'],
    [words, { badRequest: { httpStatusCode: 400 } }],
    [json, 'badRequest'],
    [json, 'other'],
    [json, undefined],
    [`unexpected status 400 Bad Request: ${json}`, undefined],
  ])('is told by its words: %s, %j', (message, info) => {
    expect(codexError(message, info).code).toBe('context_too_long');
  });
});

describe('error texts of Codex', () => {
  test.each([
    ['unexpected status 401 Unauthorized: Incorrect API key', 'auth_missing'],
    ['Missing environment variable: `OPENAI_KEY`.', 'auth_missing'],
    ['unexpected status 403 Forbidden: no', 'access_denied'],
    ['The model does not exist', 'model_not_found'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited'],
    ['Quota exceeded. Check your plan and billing details.', 'quota_exhausted'],
    ['Selected model is at capacity. Please try a different model.', 'overloaded'],
    ['We’re currently experiencing high demand', 'provider_error'],
    ["Codex ran out of room in the model's context window.", 'context_too_long'],
    ['Incomplete response returned, reason: max_output_tokens', 'output_limit'],
    ['stream disconnected before completion: idle timeout waiting for SSE', 'provider_error'],
    ['Connection failed: error sending request', 'network_unreachable'],
    ['no rollout found for thread id 0199', 'session_not_found'],
    ['thread 0199 already has an active writer', 'session_busy'],
    ['Fatal error: required MCP servers failed to initialize: bad', 'mcp_failed'],
    ['failed to load configuration: Model provider `x` not found', 'config_invalid'],
    ['Invalid request: unknown variant `untrusted`, expected one of `never`', 'capability_missing'],
    ['Something nobody has seen.', 'agent_failed'],
  ])('%s: %s', (message, code) => {
    expect(codexError(message)).toMatchObject({ code, message });
  });

  test('the body of a rejected request is reported by its message', () => {
    const body = JSON.stringify({ error: { message: 'Bad.', type: 'invalid_request_error' } });
    expect(codexError(body, 'other')).toMatchObject({ code: 'request_rejected', message: 'Bad.' });
  });

  test('an error without text still has a message', () => {
    expect(codexError('').message).toContain('without details');
    expect(codexError(undefined).message).toContain('without details');
  });
});

describe('an end without a reported turn', () => {
  const stderr = (...lines: string[]) =>
    ['Reading additional input from stdin...', ...lines].join('\n');

  test.each([
    [1, 'Error: thread/resume: no rollout found for thread id x', 'session_not_found'],
    [
      1,
      'Not inside a trusted directory and --skip-git-repo-check was not specified.',
      'trust_required',
    ],
    [1, 'Error loading config.toml: no', 'config_invalid'],
    [2, "error: unexpected argument '--x' found\n\nUsage: codex exec [OPTIONS]", 'usage'],
    [1, 'No prompt provided via stdin.', 'usage'],
    [1, 'Error: something else', 'agent_crashed'],
    [101, "thread 'main' panicked", 'agent_crashed'],
  ])('exit %d with "%.40s" is %s', (code, words, expected) => {
    const verdict = judgeCodexEnd(
      { code, stderr: stderr(words) },
      { understood: false, program: 'exec', isInTurn: true },
    );
    expect(verdict).toMatchObject({ outcome: 'failed', error: { code: expected, message: words } });
  });

  test('traces and stacks are not mistaken for the reason', () => {
    const trace = '2026-11-15T05:54:26.731025Z ERROR codex_core: required MCP servers failed';
    const stack = 'Stack backtrace:\n   0: <unknown>\n   1: <unknown>';
    const { error } = judgeCodexEnd(
      { code: 1, stderr: stderr(trace, 'Error: broken', stack) },
      { understood: true, program: 'exec', isInTurn: true },
    );
    expect(error).toMatchObject({ code: 'agent_crashed', message: 'Error: broken' });
  });

  test('a warning that is not known to be harmless is the reason', () => {
    const { error } = judgeCodexEnd(
      { code: 1, stderr: stderr('warning: disk is on fire') },
      { understood: true, program: 'exec', isInTurn: true },
    );
    expect(error).toMatchObject({ code: 'agent_crashed', message: 'warning: disk is on fire' });
  });

  test('distinguishes a signal from a silent exit', () => {
    expect(
      judgeCodexEnd(
        { signal: 'SIGTERM', stderr: '' },
        { understood: true, program: 'exec', isInTurn: true },
      ).error?.code,
    ).toBe('interrupted');
    expect(
      judgeCodexEnd({ code: 0, stderr: '' }, { understood: false, program: 'exec', isInTurn: true })
        .error?.code,
    ).toBe('output_unreadable');
    expect(
      judgeCodexEnd({ code: 0, stderr: '' }, { understood: true, program: 'exec', isInTurn: true })
        .error?.code,
    ).toBe('output_truncated');
  });

  test('a turn left without an end was stopped', () => {
    const left = (code: number, program: 'exec' | 'app-server') =>
      judgeCodexEnd({ code, stderr: '' }, { understood: true, program, isInTurn: true }).error
        ?.code;
    expect(left(1, 'exec')).toBe('interrupted');
    expect(left(0, 'app-server')).toBe('interrupted');
    expect(left(1, 'app-server')).toBe('agent_crashed');
  });

  test('without a turn is not reported as interrupted', () => {
    const end = (isInTurn: boolean) =>
      judgeCodexEnd({ code: 0, stderr: '' }, { understood: true, program: 'app-server', isInTurn });
    expect(end(true).error?.message).toContain('during its turn');
    expect(end(false).error).toMatchObject({
      code: 'interrupted',
      message: 'Codex ended before a turn started.',
    });
  });
});
