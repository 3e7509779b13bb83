import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamEnd } from '../dialect.ts';
import { type EndFacts, judgeEnd } from './end.ts';

function code(end: Partial<StreamEnd>, facts?: EndFacts): string | undefined {
  return judgeEnd({ stderr: '', ...end }, 'Bob', facts).error?.code;
}

describe('a turn whose agent ended without a word about it', () => {
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

describe('its words', () => {
  test('are the message of a crash', () => {
    const { error } = judgeEnd({ code: 3, stderr: 'No such model\n' }, 'Bob');
    expect(error?.message).toBe('No such model');
  });

  test('are made up for when there are none', () => {
    expect(judgeEnd({ code: 3, stderr: ' \n' }, 'Bob').error?.message).toBe(
      'Bob ended with exit code 3.',
    );
  });

  test('do not count when they are noise', () => {
    const end = { code: 3, stderr: 'npm notice hello\nreal reason\n' };
    expect(judgeEnd(end, 'Bob', { noise: [/^npm notice/] }).error?.message).toBe('real reason');
  });

  test('follow what is said of a stop', () => {
    const { error } = judgeEnd({ code: 143, stderr: 'ouch' }, 'Bob');
    expect(error?.message).toBe('Bob was stopped by SIGTERM before it had finished. It said: ouch');
  });

  test('name the kill, after which another try may help', () => {
    const { error } = judgeEnd({ signal: 'SIGKILL', stderr: '' }, 'Bob');
    expect(error).toMatchObject({ message: 'Bob was killed by SIGKILL.', retryable: true });
  });

  test('follow what is said of a signal', () => {
    const { error } = judgeEnd({ signal: 'SIGSEGV', stderr: 'ouch' }, 'Bob');
    expect(error?.message).toBe('Bob was killed by SIGSEGV. It said: ouch');
  });
});
