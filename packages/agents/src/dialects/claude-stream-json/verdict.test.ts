import { describe, expect, test } from 'vitest';
import { assistant, readerStage, result } from './testing/stage.ts';

const LOGIN = 'Not logged in · Please run /login';
const SUB = { parent_tool_use_id: 't1' };

const errorMessage = (text: string, error: string, more: object = {}) =>
  assistant('m0', [{ type: 'text', text }], { error, ...more });
const remark = (text: string, more: object = {}) => ({
  type: 'user',
  message: { content: [{ type: 'text', text }] },
  ...more,
});

describe('an error message of Claude instead of an answer', () => {
  test.each([0, 1])('say why a process ended with code %i and without a result', (code) => {
    const stage = readerStage().say(errorMessage(LOGIN, 'authentication_failed'));
    expect(stage.dialect.end({ code, stderr: '' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'auth_missing', message: LOGIN },
    });
  });

  test('say nothing about a process that was stopped', () => {
    const stage = readerStage().say(errorMessage(LOGIN, 'authentication_failed'));
    const verdict = stage.dialect.end({ code: null, signal: 'SIGTERM', stderr: '' });
    expect(verdict?.error?.code).toBe('interrupted');
  });

  test('are no longer the reason once the model answers, but are not lost', () => {
    const stage = readerStage().say(
      errorMessage('API Error: 529 Overloaded', 'overloaded'),
      assistant('m1', [{ type: 'text', text: 'Here I am.' }]),
    );
    expect(stage.all('notice')).toMatchObject([
      { level: 'warning', code: 'agent_warning', message: 'API Error: 529 Overloaded' },
    ]);
    expect(stage.dialect.end({ code: 1, stderr: 'boom' })?.error?.code).toBe('agent_crashed');
  });

  test('are reported although the turn ends well', () => {
    const stage = readerStage().say(errorMessage('Too long.', 'max_output_tokens'), result());
    expect(stage.all('notice')).toMatchObject([{ message: 'Too long.' }]);
    expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
  });
});

describe('the failure of a sub-agent', () => {
  test('is a notice under its call', () => {
    const stage = readerStage().say(errorMessage('API Error: 529', 'overloaded', SUB));
    expect(stage.drafts).toMatchObject([
      { type: 'run.identified' },
      {
        type: 'notice',
        level: 'warning',
        code: 'agent_warning',
        message: 'API Error: 529',
        parentId: 't1',
      },
    ]);
  });

  test('is not the reason why the main agent fails', () => {
    const stage = readerStage().say(
      errorMessage('Credit balance is too low', 'billing_error', SUB),
      result({ is_error: true, result: 'API Error: 500 oh' }),
    );
    expect(stage.verdicts[0]?.error).toMatchObject({ code: 'provider_error' });
    const other = readerStage().say(errorMessage(LOGIN, 'authentication_failed', SUB));
    expect(other.dialect.end({ code: 1, stderr: 'boom' })?.error?.code).toBe('agent_crashed');
  });
});

test.each([
  ['error_max_turns', 'max_turns'],
  ['error_brand_new', 'agent_failed'],
])('a result %s is a failure, whatever is_error says', (subtype, code) => {
  const stage = readerStage().say(result({ subtype, result: undefined, errors: ['No.'] }));
  expect(stage.verdicts).toMatchObject([{ outcome: 'failed', error: { code, message: 'No.' } }]);
});

describe('an interruption', () => {
  const broken = result({ subtype: 'error_during_execution', is_error: true, result: undefined });

  test.each(['[Request interrupted by user]', '[Request interrupted by user for tool use]'])(
    'is known by the remark %s alone',
    (text) => {
      for (const content of [text, [{ type: 'text', text }]]) {
        const stage = readerStage().say({ type: 'user', message: { content } }, broken);
        expect(stage.verdicts).toMatchObject([
          { outcome: 'cancelled', error: { code: 'interrupted' } },
        ]);
      }
    },
  );

  test.each([
    ['of a sub-agent', SUB],
    ['that a person wrote', { isReplay: true }],
  ])('is not known by a remark %s', (_name, more) => {
    const stage = readerStage().say(remark('[Request interrupted by user]', more), broken);
    expect(stage.verdicts).toMatchObject([{ outcome: 'failed' }]);
  });

  test('of an earlier turn does not excuse a later failure', () => {
    const stage = readerStage().say(
      remark('[Request interrupted by user]'),
      broken,
      assistant('m1', []),
      broken,
    );
    expect(stage.verdicts.map(({ outcome }) => outcome)).toEqual(['cancelled', 'failed']);
  });
});

describe('the error of another agent that prints the format', () => {
  test.each([
    [{ error: { type: 'authentication_error', message: 'Bad key' } }, 'auth_missing', 'Bad key'],
    [{ error: { message: '401 Nope' } }, 'auth_missing', '401 Nope'],
    [{ error: { type: 'rate_limit_error', message: 'Slow' } }, 'rate_limited', 'Slow'],
    [{ error: 'Authentication failed' }, 'auth_missing', 'Authentication failed'],
    [{ error: 'It broke' }, 'agent_failed', 'It broke'],
  ])('%j is %s', (more, code, message) => {
    const stage = readerStage().say({ type: 'result', subtype: 'error', is_error: true, ...more });
    expect(stage.verdicts).toMatchObject([{ outcome: 'failed', error: { code, message } }]);
  });
});
