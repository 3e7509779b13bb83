import { expect, test } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { PendingRequests } from './pending-requests.ts';

const WRITE = {
  requestId: 'r1',
  callId: 'c1',
  tool: 'Write',
  action: { type: 'other' },
  scopes: ['once'],
  parentId: 'sub',
} as const;
const WHICH = { requestId: 'q1', callId: 'c1', questions: [], turnId: 't' };

function setUp() {
  const drafts: EventDraft[] = [];
  const requests = new PendingRequests<string>((draft) => drafts.push(draft));
  requests.askPermission({ ...WRITE, scopes: [...WRITE.scopes] }, ({ decision }) => decision);
  requests.askQuestions(WHICH, (answer) => ('declined' in answer ? 'no' : 'yes'));
  const asked = drafts.splice(0);
  return { asked, drafts, requests };
}

test('asks for permission and with questions', () => {
  expect(setUp().asked).toMatchObject([
    { type: 'permission.requested', ...WRITE },
    { type: 'question.requested', ...WHICH },
  ]);
});

test('replies to each request once, in the form of the agent', () => {
  const { requests, drafts } = setUp();
  expect(requests.answer('r1', { decision: 'deny' })).toBe('deny');
  expect(requests.answer('q1', { answers: {} })).toBe('yes');
  expect(requests.answer('r1', { decision: 'allow' })).toBeUndefined();
  expect(requests.answer('q1', { declined: true })).toBeUndefined();
  expect(drafts).toEqual([]);
});

test('an answer of the wrong kind leaves the request open', () => {
  const { requests } = setUp();
  expect(requests.answer('r1', { declined: true })).toBeUndefined();
  expect(requests.answer('q1', { decision: 'allow' })).toBeUndefined();
  expect(requests.answer('r1', { decision: 'allow' })).toBe('allow');
});

test('reports a request that the agent withdraws, unless it was answered', () => {
  const { requests, drafts } = setUp();
  requests.answer('r1', { decision: 'allow' });
  requests.cancel('r1');
  expect(drafts).toEqual([]);
  requests.cancel('q1');
  expect(drafts).toEqual([
    { type: 'question.resolved', requestId: 'q1', by: 'agent', turnId: 't' },
  ]);
  expect(requests.answer('q1', { answers: {} })).toBeUndefined();
});

test('a withdrawn permission request is cancelled', () => {
  const { requests, drafts } = setUp();
  requests.cancel('r1');
  expect(drafts).toMatchObject([
    { type: 'permission.resolved', requestId: 'r1', decision: 'cancelled', by: 'agent' },
  ]);
});

test('infers the answers of a recording from the call', () => {
  const { requests, drafts } = setUp();
  expect(requests.infer('other', 'allow')).toBe(false);
  expect(requests.infer('c1', 'deny')).toBe(true);
  expect(drafts).toMatchObject([
    { type: 'permission.resolved', requestId: 'r1', decision: 'deny', synthetic: true },
    { type: 'question.resolved', requestId: 'q1', by: 'person', synthetic: true },
  ]);
  expect(requests.infer('c1', 'deny')).toBe(false);
});
