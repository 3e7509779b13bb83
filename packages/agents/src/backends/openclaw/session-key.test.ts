import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taskSessionKey } from './session-key.ts';

const PACKET = { orgId: 'o1', streamId: 's1', threadId: 't1' };
const key = (taskType: string, packet: object = {}, env = {}) =>
  taskSessionKey({ taskType, packet: { ...PACKET, ...packet } }, env);

describe('the session of a task', () => {
  test.each([
    ['conductor-chat', {}, 'agent:main:flux:org:o1:stream:s1:thread:t1'],
    ['cadence', {}, 'agent:main:flux:org:o1:stream:s1:cadence:tick'],
    [
      'cadence',
      { inputJson: '{"cadenceKey":"daily"}' },
      'agent:main:flux:org:o1:stream:s1:cadence:daily',
    ],
    ['cadence', { inputJson: 'not json' }, 'agent:main:flux:org:o1:stream:s1:cadence:tick'],
    ['anything', {}, 'agent:main:flux:org:o1:stream:s1:task'],
    ['anything', { agentId: 'Ops' }, 'agent:ops:flux:org:o1:stream:s1:task'],
  ])('%s with %j is %s', (type, packet, expected) => {
    expect(key(type, packet)).toBe(expected);
  });

  test('uses the agent of OPENCLAW_AGENT_ID unless the packet names one', () => {
    const env = { OPENCLAW_AGENT_ID: 'night' };
    expect(key('task', {}, env)).toMatch(/^agent:night:/);
    expect(key('task', { agentId: 'day' }, env)).toMatch(/^agent:day:/);
  });

  test.each([
    ['task', 'orgId'],
    ['task', 'streamId'],
    ['cadence', 'streamId'],
    ['conductor-chat', 'threadId'],
  ])('of type %s without %s is an error', (type, name) => {
    for (const missing of [undefined, '', ' ']) {
      expect(() => key(type, { [name]: missing })).toThrow(`The task packet has no ${name}`);
    }
  });

  test('needs no thread unless it is a chat', () => {
    expect(key('task', { threadId: undefined })).toContain(':task');
  });

  test('is in lower case, with a short hash for an id that was not', () => {
    expect(key('task', { orgId: 'Org_1' })).toMatch(/:org:org_1~[\da-f]{10}:stream:s1:task$/);
    expect(key('task', { orgId: 'org_1' })).toContain(':org:org_1:');
  });

  test('is the same for the same ids only, whatever they contain', () => {
    const id = fc.string({
      minLength: 1,
      unit: fc.constantFrom('a', 'A', ':', '~', '-', ' ', 'ß'),
    });
    const ids = fc.record({ orgId: id, streamId: id, threadId: id });
    const isGiven = (packet: object) => Object.values(packet).every((each) => each.trim() !== '');
    fc.assert(
      fc.property(ids.filter(isGiven), ids.filter(isGiven), (one, other) => {
        const trimmed = (packet: object) =>
          JSON.stringify(Object.values(packet).map((each) => each.trim()));
        const isSame = trimmed(one) === trimmed(other);
        expect(key('conductor-chat', one) === key('conductor-chat', other)).toBe(isSame);
        expect(key('conductor-chat', one)).toBe(key('conductor-chat', one).toLowerCase());
      }),
    );
  });
});
