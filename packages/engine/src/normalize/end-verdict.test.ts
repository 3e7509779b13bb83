import { errorInfo } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamEnd } from '../definition/dialect.ts';
import { type EndFacts, judgeEnd } from './end-verdict.ts';

function code(end: Partial<StreamEnd>, facts?: EndFacts): string | undefined {
  return judgeEnd({ stderr: '', ...end }, 'Bob', facts).error?.code;
}

describe('a turn whose agent exited without ending it', () => {
  test.each<[string, Partial<StreamEnd>, EndFacts | undefined, string]>([
    ['exit 0', { code: 0 }, undefined, 'output_truncated'],
    ['exit 0 and nothing understood', { code: 0 }, { understood: false }, 'output_unreadable'],
    ['exit 1', { code: 1 }, undefined, 'agent_crashed'],
    ['exit 1 and nothing understood', { code: 1 }, { understood: false }, 'agent_crashed'],
    ['the exit code of a hang-up', { code: 129 }, undefined, 'interrupted'],
    ['the exit code of an interrupt', { code: 130 }, undefined, 'interrupted'],
    ['the exit code of a termination', { code: 143 }, undefined, 'interrupted'],
    ['an interrupt', { signal: 'SIGINT', code: null }, undefined, 'interrupted'],
    ['a termination', { signal: 'SIGTERM', code: null }, undefined, 'interrupted'],
    ['a kill from outside', { signal: 'SIGKILL', code: null }, undefined, 'agent_crashed'],
    ['the exit code of a kill', { code: 137 }, undefined, 'agent_crashed'],
    ['a hang-up', { signal: 'SIGHUP', code: null }, undefined, 'interrupted'],
    ['a crash', { signal: 'SIGSEGV', code: null }, undefined, 'agent_crashed'],
    ['an abort', { signal: 'SIGABRT', code: null }, undefined, 'agent_crashed'],
    ['a recording that just stops', {}, undefined, 'interrupted'],
  ])('%s', (_name, end, facts, expected) => {
    expect(code(end, facts)).toBe(expected);
  });

  test('has failed, with a message and a hint, whatever happened', () => {
    const end = fc.record({
      code: fc.option(fc.integer({ min: 0, max: 255 })),
      signal: fc.option(fc.constantFrom('SIGINT', 'SIGSEGV', 'SIGPIPE')),
      stderr: fc.string(),
    });
    fc.assert(
      fc.property(end, fc.boolean(), (how, understood) => {
        const { outcome, error } = judgeEnd(how, 'Bob', { understood });
        expect(outcome).toBe('failed');
        expect(error?.message).toMatch(/\S/);
        expect(error?.hint).toMatch(/\S/);
      }),
    );
  });
});

describe('its error text', () => {
  test('are the message of a crash', () => {
    const { error } = judgeEnd({ code: 3, stderr: 'No such model\n' }, 'Bob');
    expect(error?.message).toBe('No such model');
  });

  test('are made up for when there are none', () => {
    expect(judgeEnd({ code: 3, stderr: ' \n' }, 'Bob').error?.message).toBe(
      'Bob exited with code 3.',
    );
  });

  test('do not count when they are noise', () => {
    const end = { code: 3, stderr: 'npm notice hello\nreal reason\n' };
    expect(judgeEnd(end, 'Bob', { noise: [/^npm notice/] }).error?.message).toBe('real reason');
  });

  test('is appended to the message of a stop', () => {
    const { error } = judgeEnd({ code: 143, stderr: 'ouch' }, 'Bob');
    expect(error?.message).toBe(
      'Bob was stopped by SIGTERM before it had finished. Last output: ouch',
    );
  });

  test('name the kill, after which another try may help', () => {
    const { error } = judgeEnd({ signal: 'SIGKILL', stderr: '' }, 'Bob');
    expect(error).toMatchObject({ message: 'Bob was killed by SIGKILL.', retryable: true });
  });

  test('is appended to the message of a signal', () => {
    const { error } = judgeEnd({ signal: 'SIGSEGV', stderr: 'ouch' }, 'Bob');
    expect(error?.message).toBe('Bob was killed by SIGSEGV. Last output: ouch');
  });
});

describe('knowledge about the agent', () => {
  const lastError = errorInfo('rate_limited', 'Slow down.');
  const words: EndFacts['words'] = [
    [/^no such session/m, 'session_not_found', 'Start a new one.'],
    [/^error: /m, 'usage'],
  ];
  const exits = { 7: errorInfo('interrupted', 'Bob was told to stop.') };

  test.each<[string, Partial<StreamEnd>]>([
    ['an exit code', { code: 1, stderr: 'error: x' }],
    ['an end of the output', { code: 0 }],
    ['the exit code of a kill', { code: 137 }],
    ['a recording that just stops', {}],
  ])('the last error explains %s', (_name, end) => {
    expect(code(end, { lastError, words, exits })).toBe('rate_limited');
  });

  test.each<[string, Partial<StreamEnd>]>([
    ['a signal to stop', { signal: 'SIGINT' }],
    ['the exit code of a signal to stop', { code: 143 }],
  ])('the last error does not explain %s', (_name, end) => {
    expect(code(end, { lastError })).toBe('interrupted');
  });

  test('the first matching rule sets code and hint', () => {
    const stderr = 'noise\nno such session: s\nerror: x\n';
    expect(judgeEnd({ code: 1, stderr }, 'Bob', { words, noise: [/^noise$/] }).error).toMatchObject(
      {
        code: 'session_not_found',
        message: 'no such session: s\nerror: x',
        hint: 'Start a new one.',
      },
    );
    expect(code({ code: 1, stderr: 'error: x' }, { words })).toBe('usage');
  });

  test('text is a reason only with an exit code', () => {
    expect(code({ code: 0, stderr: 'error: x' }, { words })).toBe('output_truncated');
    expect(code({ stderr: 'error: x' }, { words })).toBe('interrupted');
  });

  test('an exit code has its own meaning only without text', () => {
    expect(code({ code: 7 }, { exits, understood: true })).toBe('interrupted');
    expect(code({ code: 7, stderr: 'ouch' }, { exits, understood: true })).toBe('agent_crashed');
    expect(code({ code: 7 }, { exits, understood: false })).toBe('agent_crashed');
  });
});
