import {
  BatonError,
  type PermissionRequest,
  permissionAnswerSchema,
  questionAnswerSchema,
} from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PendingRequest } from '../definition/backend.ts';
import { checkAnswer } from './check-answer.ts';

const request: PermissionRequest = {
  requestId: 'r',
  tool: 't',
  action: { type: 'other' },
  scopes: ['once', 'session', 'always'],
  editable: true,
};
const permission: PendingRequest = { kind: 'permission', request };
const question: PendingRequest = { kind: 'question', request: { requestId: 'q', questions: [] } };

function fits(pending: PendingRequest, answer: unknown): boolean {
  try {
    checkAnswer(pending, answer);
    return true;
  } catch (error) {
    expect(BatonError.is(error) && error.code).toBe('usage');
    return false;
  }
}

/** Answers that are right, nearly right, and wrong. */
const answers = fc.oneof(
  fc.anything(),
  fc.record(
    {
      decision: fc.constantFrom('allow', 'deny', 'perhaps', 1),
      scope: fc.constantFrom('once', 'session', 'always', 'forever', 1),
      input: fc.jsonValue(),
      reason: fc.constantFrom('no', 1, null),
      stop: fc.constantFrom(true, 'yes'),
      by: fc.constantFrom('person', 'robot', 7),
      sudo: fc.constant(true),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      answers: fc.oneof(
        fc.dictionary(fc.constantFrom('a', 'b'), fc.array(fc.string())),
        fc.dictionary(fc.constantFrom('a'), fc.jsonValue()),
        fc.jsonValue(),
      ),
      declined: fc.constantFrom(true, false, 'true'),
      reason: fc.constantFrom('no', 1),
      by: fc.constantFrom('person', null),
    },
    { requiredKeys: [] },
  ),
);

test('what passes for a permission request is exactly what the schema allows', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      expect(fits(permission, answer)).toBe(permissionAnswerSchema.safeParse(answer).success);
    }),
    { numRuns: 1000 },
  );
});

test('what passes for a question is exactly what the schema allows', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      expect(fits(question, answer)).toBe(questionAnswerSchema.safeParse(answer).success);
    }),
    { numRuns: 1000 },
  );
});

describe('beyond its shape', () => {
  test('a scope must have been offered; once always is', () => {
    const narrow: PendingRequest = {
      kind: 'permission',
      request: { ...request, scopes: ['session'] },
    };
    expect(fits(narrow, { decision: 'allow', scope: 'session' })).toBe(true);
    expect(fits(narrow, { decision: 'allow', scope: 'once' })).toBe(true);
    expect(fits(narrow, { decision: 'allow' })).toBe(true);
    expect(() => checkAnswer(narrow, { decision: 'allow', scope: 'always' })).toThrow(
      'The scope "always" was not offered; offered: session.',
    );
  });

  test('the input can be changed only where the agent lets it', () => {
    const fixed: PendingRequest = {
      kind: 'permission',
      request: { ...request, editable: undefined },
    };
    expect(fits(fixed, { decision: 'allow' })).toBe(true);
    expect(fits(fixed, { decision: 'allow', input: {} })).toBe(false);
  });
});
