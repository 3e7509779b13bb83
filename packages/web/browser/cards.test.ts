import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { handAgent } from './testing/hand-agent.ts';
import { importSession } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

type Body = Record<string, unknown> & { type: string };

const ANSWER =
  'It is **mended**.\n\n```ts\nconst mended: boolean = true;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] Done\n  - Details';
const DIFF = '@@ -1,2 +1,2 @@\n-const door = "red";\n+const door = "green";\n export { door };\n';

test('every kind of agent activity has its own card', async () => {
  const served = await servePage();
  const sessionId = await importSession(served.client, served.work, everyKind(served.work));
  const page = await openPage(served, {
    path: `/sessions/${sessionId}`,
    viewport: { width: 1280, height: 2600 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const log = page.getByRole('log');
  const unfold = (title: string | RegExp) => log.getByRole('button', { name: title }).click();
  await log.getByText('It is mended.').waitFor();

  await unfold(/^Thought/);
  const thought = log.getByText('The hinge is loose, I think.');
  await thought.last().waitFor();
  expect(await thought.filter({ visible: true }).count(), 'told once').toBe(1);
  await log.getByRole('list').getByText('Look at the hinge').waitFor();
  await log.getByText('1 of 2').waitFor();
  await log.getByText('exit 3').waitFor();
  await log.getByText('1 test failed').waitFor();
  await log.getByRole('region', { name: 'door.ts' }).getByText('const door = "green";').waitFor();
  await log.getByText('Read hinge.md').waitFor();
  await unfold(/^Search loose screws/);
  await log.getByText('hinge.md:4').waitFor();
  await unfold(/^Fetch https:\/\/example.org\/hinges/);
  await log.getByText('All about hinges').waitFor();
  await log.getByText('How are they oiled?').waitFor();
  expect(await log.getByRole('button', { name: /^bare/ }).count(), 'nothing to unfold').toBe(0);
  await unfold(/^tracker · find/);
  await log.getByText('"number": 17').waitFor();
  await unfold(/^Sub-agent Look around/);
  await log.getByText('ls attic').waitFor();
  await log.getByText('The model is busy. Next attempt in 4 s.').waitFor();
  await log.getByText('80 % of the weekly limit is used.').waitFor();
  await log.getByText('Interrupted').waitFor();
  await log.getByText('What beam?').waitFor();
  await log.getByText('The agent cut this output of 48,894 bytes: /tmp/whole.txt').waitFor();
  const strange = log.getByText('2 lines of unrecognized output');
  await strange.waitFor();
  expect(await strange.count(), 'one line for all of them').toBe(1);

  const code = log.locator('pre', { hasText: 'const mended' });
  await code.locator('span', { hasText: /^const$/ }).waitFor();
  await log.getByRole('button', { name: 'Copy code' }).click();
  await log.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe('const mended: boolean = true;');
  await log.getByRole('cell', { name: '2' }).waitFor();
  const boxOf = async (place: Locator) =>
    (await place.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [done, details] = [log.getByRole('checkbox'), log.getByText('Details', { exact: true })];
  const tick = await boxOf(done);
  expect(tick.y + tick.height, 'in its line').toBeLessThan((await boxOf(details)).y);
  const copy = await boxOf(log.getByRole('button', { name: 'Copy output' }).first());
  const printed = await boxOf(log.getByText('1 test failed'));
  expect(printed.x + printed.width, 'beside the button').toBeLessThanOrEqual(copy.x);
  await log.getByText('1.2K in, 340 out · ~$0.42').waitFor();
  await page.getByRole('img', { name: '90K of 100K tokens of context used' }).waitFor();
  await screenshot(page, 'cards-light');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 3600 });
  await screenshot(page, 'cards-dark');
  expect(await seriousBarriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
});

test('a plan is shown as a text to approve, once', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  const text = '# The plan\n\n1. Look **well**\n2. Leap';
  await say({
    ...{ type: 'permission.requested', requestId: 'r', tool: 'ExitPlanMode', scopes: ['once'] },
    ...{ action: { type: 'plan', text }, input: { plan: text }, editable: true },
  });
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  const card = page.getByRole('region', { name: 'Permission request' });
  await card.getByRole('heading', { name: 'The plan' }).waitFor();
  await card.getByRole('listitem').filter({ hasText: 'Look well' }).waitFor();
  expect(await card.getByText('\\n').count()).toBe(0);
  await card.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await card.getByRole('button', { name: /session|Always/ }).count()).toBe(0);
  await screenshot(page, 'plan');
  expect(await seriousBarriers(page)).toEqual([]);
});

test('unrecognized lines are found in the raw events', async () => {
  const served = await servePage();
  const strange = { type: 'unparsed', source: 'stdout', line: '{"type":"brand_new"}' };
  const sessionId = await importSession(served.client, served.work, [strange, said('m', 'Hi.')]);
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  await page.getByText('1 line of unrecognized output').waitFor();
  await page.getByRole('button', { name: 'Show raw events' }).click();
  const raw = page.getByRole('complementary', { name: 'Raw events' });
  await raw.getByRole('button', { name: /unparsed/ }).click();
  await raw.getByText('brand_new').waitFor();
});

function* everyKind(cwd: string): Generator<Body> {
  yield said('t', 'The hinge is loose, I think.', { kind: 'thinking' });
  yield {
    type: 'plan.updated',
    entries: [
      { text: 'Look at the hinge', status: 'completed' },
      { text: 'Mend it', status: 'in_progress' },
    ],
  };
  const test = { type: 'command', command: 'npm test' };
  yield* used('shell', test, '1 test failed', { outcome: 'error', exitCode: 3 });
  const changes = [{ path: `${cwd}/door.ts`, kind: 'edit', diff: DIFF }];
  yield* used('edit', { type: 'file.edit', changes });
  yield* used('read', { type: 'file.read', path: `${cwd}/hinge.md` });
  yield* used('grep', { type: 'search', query: 'loose screws' }, 'hinge.md:4');
  const fetched = {
    type: 'fetch',
    url: 'https://example.org/hinges',
    query: 'How are they oiled?',
  };
  yield* used('web', fetched, 'All about hinges');
  yield* used('bare', { type: 'other' });
  const call = { type: 'mcp', server: 'tracker', tool: 'find', arguments: { number: 17 } };
  yield* used('find', call, 'Found.');
  yield { type: 'tool.started', callId: 'sub', ...lookAround };
  for (const event of used('shell', { type: 'command', command: 'ls attic' }, 'a box')) {
    yield { ...event, parentId: 'sub' };
  }
  yield { type: 'tool.completed', callId: 'sub', ...lookAround, outcome: 'ok', output: 'A box.' };
  yield { type: 'unparsed', source: 'stdout', line: '{"type":"brand_new"}' };
  yield { type: 'unparsed', source: 'stdout', line: '{"type":"brand_newer"}' };
  const cut = [...used('shell', { type: 'command', command: 'seq 9000' }, '1')];
  const wholeOutput = { path: '/tmp/whole.txt', bytes: 48_894 };
  for (const event of cut) yield { ...event, wholeOutput };
  yield notice('info', 'retry', 'The model is busy. Next attempt in 4 s.');
  yield notice('warning', 'limit', '80 % of the weekly limit is used.');
  yield said('b', 'What beam?', { incomplete: true });
  yield said('m', ANSWER);
  const tokens = { inputTokens: 1200, outputTokens: 340, costUsd: 0.42, costEstimated: true };
  const usage = { ...tokens, contextTokens: 90_000, contextWindow: 100_000 };
  yield { type: 'usage.updated', usage };
}

const lookAround = {
  name: 'task',
  action: { type: 'subagent', description: 'Look around', prompt: 'Look around the house.' },
};

function said(messageId: string, text: string, more: object = {}): Body {
  return { type: 'message.completed', messageId, kind: 'text', text, ...more };
}

function notice(level: string, code: string, message: string): Body {
  return { type: 'notice', level, code, message };
}

type End = { outcome?: string; exitCode?: number };

function* used(
  name: string,
  action: object,
  output?: string,
  { outcome = 'ok', ...known }: End = {},
): Generator<Body> {
  const callId = `${name} ${JSON.stringify(action)}`;
  yield { type: 'tool.started', callId, name, action };
  yield {
    ...{ type: 'tool.completed', callId, name, outcome, output, durationMs: 1200 },
    action: { ...action, ...known },
  };
}
