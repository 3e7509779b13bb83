import { expect, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';
import { BackendFacts } from './backend-facts.ts';

test('every agent is listed with what it can do and whether it is there', async () => {
  const daemon = await testDaemon();
  const { body } = await daemon.call('GET', '/backends', { as: daemon.tokens.viewer });
  const demo = (body as unknown as { id: string }[]).find(({ id }) => id === 'demo');
  expect(demo).toMatchObject({
    label: expect.any(String),
    capabilities: { features: { streaming: true } },
    options_schema: { properties: { model: { type: 'string' } } },
    provider_options_schema: { properties: { pace: {} } },
    probe: { installed: true },
  });
});

test('one agent is found by any of its names', async () => {
  const daemon = await testDaemon();
  expect(await daemon.call('GET', '/backends/claude-code')).toMatchObject({
    body: { id: 'claude-cli' },
  });
  expect(await daemon.call('GET', '/backends/nobody')).toMatchObject({
    body: { data: { code: 'backend_unknown' } },
  });
});

test('whoever only looks on cannot have a folder looked at', async () => {
  const daemon = await testDaemon();
  const look = (as: string) => daemon.call('GET', '/backends/demo?cwd=/', { as });
  expect((await look(daemon.tokens.viewer)).status).toBe(403);
  expect(await look(daemon.tokens.member)).toMatchObject({ status: 200, body: { id: 'demo' } });
});

test('an agent is looked at again only after a while', async () => {
  let time = 1000;
  const facts = new BackendFacts(() => time);
  const first = facts.of('demo');
  time += 59_000;
  expect(facts.of('demo')).toBe(first);
  time += 2000;
  expect(facts.of('demo')).not.toBe(first);
  await facts.of('demo');
});
