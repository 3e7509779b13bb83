import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

test('members make rules for a session, and owners for a folder', async () => {
  const daemon = await testDaemon();
  const as = daemon.tokens.member;
  const rule = { tool: 'shell', decision: 'allow' };
  const ofSession = { ...rule, session_id: await daemon.session() };
  const made = await daemon.call('POST', '/rules', { as, body: ofSession });
  expect(made.status).toBe(201);
  const ofFolder = { ...rule, folder: '/' };
  expect((await daemon.call('POST', '/rules', { as, body: ofFolder })).status).toBe(403);
  expect((await daemon.call('POST', '/rules', { body: ofFolder })).status).toBe(201);
  expect((await daemon.call('DELETE', `/rules/${made.body.rule_id}`, { as })).status).toBe(200);
});

test('what an owner forbids is not allowed again by a member', async () => {
  const daemon = await testDaemon();
  const rule = { tool: 'shell', decision: 'deny', folder: '/' };
  const { rule_id } = (await daemon.call('POST', '/rules', { body: rule })).body;
  const as = daemon.tokens.member;
  expect((await daemon.call('DELETE', `/rules/${rule_id}`, { as })).status).toBe(403);
  expect((await daemon.call('DELETE', `/rules/${rule_id}`)).status).toBe(200);
});

test.each([{}, { folder: 'not/whole' }, { folder: '/', session_id: 's' }])(
  'a rule for nothing, or for two things, is refused: %j',
  async (place) => {
    const daemon = await testDaemon();
    const body = { tool: 'shell', decision: 'allow', ...place };
    expect((await daemon.call('POST', '/rules', { body })).status).toBe(400);
  },
);
