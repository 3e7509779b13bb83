import type { AgentEvent, PermissionScope, RequestAnswer } from '@baton/protocol';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

function given(scopes: PermissionScope[], answer: RequestAnswer): RequestAnswer | undefined {
  let got: RequestAnswer | undefined;
  const answers = new Answers({
    answer(_id, each) {
      got = each;
      return 'accepted';
    },
  });
  answers.hear({ type: 'permission.requested', requestId: 'r', scopes } as AgentEvent);
  answers.give('r', answer);
  return got;
}

test('an answer reaches the agent with the widest scope that it offered, but never for always', () => {
  const all: PermissionScope[] = ['once', 'session', 'always'];
  const allow = (scope?: PermissionScope) => ({ decision: 'allow' as const, scope });
  expect(given(all, allow('always'))).toEqual(allow('session'));
  expect(given(all, allow('session'))).toEqual(allow('session'));
  expect(given(all, allow('once'))).toEqual(allow('once'));
  expect(given(['once'], allow('always'))).toEqual(allow('once'));
  expect(given(['once'], allow('session'))).toEqual(allow('once'));
});

test('other answers reach the agent as they are', () => {
  const deny = { decision: 'deny' as const, reason: 'No.' };
  expect(given(['once'], deny)).toEqual(deny);
  expect(given(['once'], { declined: true })).toEqual({ declined: true });
});
