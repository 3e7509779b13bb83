import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mcpTaskPacketSchema } from './task-packet.ts';

test('a packet keeps unknown fields, at every level', () => {
  const packet = {
    taskId: 't',
    taskType: 'cadence',
    inputJson: '{"cadenceKey":"k"}',
    priority: 3,
    prompt: { rendered: 'Do it.', backend: null, template: 'x' },
    execution: { backend: 'pi', model: 'a/b', allowedTools: ['Read'], timeoutSec: 5, lane: 'fast' },
    policy: { taskTimeoutSeconds: 60, approvals: ['a'] },
  };
  expect(mcpTaskPacketSchema.parse(JSON.parse(JSON.stringify(packet)))).toEqual(packet);
});

test('any JSON in an unknown field survives', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^x_\w{1,8}$/), fc.jsonValue(), (name, value) => {
      const packet = JSON.parse(JSON.stringify({ [name]: value, execution: { [name]: value } }));
      expect(mcpTaskPacketSchema.parse(packet)).toEqual(packet);
    }),
  );
});

test('a server may omit every field, and send null for unknown values', () => {
  const nothing = { backend: null, model: null, allowedTools: null, timeoutSec: null };
  expect(mcpTaskPacketSchema.parse({})).toEqual({});
  expect(mcpTaskPacketSchema.parse({ execution: nothing })).toEqual({ execution: nothing });
});

test('a field of the wrong type is refused', () => {
  expect(mcpTaskPacketSchema.safeParse({ taskId: 7 }).success).toBe(false);
  expect(mcpTaskPacketSchema.safeParse({ execution: { timeoutSec: 'soon' } }).success).toBe(false);
  expect(mcpTaskPacketSchema.safeParse({ prompt: 'Do it.' }).success).toBe(false);
});
