import { describe, expect, test } from 'vitest';
import { permissionAnswerSchema, questionAnswerSchema } from './permission.ts';

describe('an answer to a permission request', () => {
  test.each([
    { decision: 'allow' },
    { decision: 'allow', scope: 'session', input: { command: 'ls' }, by: 'person' },
    { decision: 'deny' },
    { decision: 'deny', reason: 'No.', stop: true, by: 'a robot' },
  ])('can be %j', (answer) => {
    expect(permissionAnswerSchema.parse(answer)).toEqual(answer);
  });

  test.each([
    {},
    { decision: 'yes' },
    { decision: 'allow', scope: 'forever' },
    { decision: 'allow', reason: 'a reason is for a no' },
    { decision: 'deny', scope: 'once' },
    { answers: {} },
  ])('cannot be %j', (answer) => {
    expect(permissionAnswerSchema.safeParse(answer).success).toBe(false);
  });
});

describe('an answer to a question', () => {
  test.each([{ answers: {} }, { answers: { q: ['a', 'b'] }, by: 'person' }, { declined: true }])(
    'can be %j',
    (answer) => {
      expect(questionAnswerSchema.parse(answer)).toEqual(answer);
    },
  );

  test.each([{}, { answers: { q: 'a' } }, { declined: false }, { decision: 'allow' }])(
    'cannot be %j',
    (answer) => {
      expect(questionAnswerSchema.safeParse(answer).success).toBe(false);
    },
  );
});
