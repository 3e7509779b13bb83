import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { drawnWords } from './testing/drawn-words.ts';
import { handAgent } from './testing/hand-agent.ts';
import { importSession } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage({ slots: 0 });

const HOSTILE = `<script>window.harmed = true</script>
<img src="https://example.org/x.png" onerror="window.harmed = true">

[run](javascript:window.harmed=true) [data](data:text/html,x) ![seen](https://example.org/pixel.png)

<iframe srcdoc="<script>parent.harmed = true</script>"></iframe>

[fine](https://example.org/fine)

هذا نص عربي ${'漢字'.repeat(200)} ${'x'.repeat(3000)}`;

const action = { type: 'command', command: HOSTILE };
const call = { callId: 'c', name: '<b>tool</b>', action };
const LETTERS = { type: 'command', command: 'cp -r א 1 ב  # ١ ٢\necho x' };
const TURNED = { type: 'command', command: 'echo \u202E"dlrow olleh"\u200B' };
const EDITED = {
  type: 'file.edit',
  changes: [{ path: 'a\u202Etxt.md', kind: 'edit', diff: '@@ -1 +1 @@\n-\u2066a\n+\u200Bb\n' }],
};
const SAID = [
  { type: 'tool.completed', callId: 'u', name: 'shell', action: TURNED, outcome: 'ok' },
  { type: 'tool.completed', callId: 'l', name: 'shell', action: LETTERS, outcome: 'ok' },
  { type: 'tool.completed', callId: 'e', name: 'edit', action: EDITED, outcome: 'ok' },
  { type: 'message.completed', messageId: 'm', kind: 'text', text: HOSTILE },
  { type: 'message.completed', messageId: 't', kind: 'thinking', text: HOSTILE },
  { type: 'tool.started', ...call },
  { type: 'tool.completed', ...call, outcome: 'error', output: `\u001b[31m${HOSTILE}` },
  {
    ...{ type: 'tool.completed', ...call, callId: 'd', outcome: 'ok' },
    output: 'x'.repeat(400_000),
  },
  { type: 'notice', level: 'warning', code: 'retry', message: HOSTILE },
  { type: 'unparsed', source: 'stdout', line: HOSTILE },
];

test('what agents say does no harm and stays within the page, light and dark', async () => {
  const sessionId = await importSession(served().client, served().work, SAID);
  const asked: string[] = [];
  const page = await openPage(served(), {
    path: `/sessions/${sessionId}`,
    viewport: { width: 390, height: 800 },
  });
  page.on('request', (request) => asked.push(request.url()));
  const log = page.getByRole('log');
  await log.getByText('Done', { exact: true }).waitFor();
  await log.evaluate((list) => list.scrollTo(0, 0));
  await page.getByRole('link', { name: 'fine' }).first().waitFor();
  await log.getByText('echo ⟨U+202E⟩"dlrow olleh"⟨U+200B⟩').waitFor();
  const title = log.locator('code').filter({ hasText: 'cp -r' });
  expect(await title.innerText()).toBe('cp -r א 1 ב  # ١ ٢ ⏎ echo x');
  expect(await drawnWords(title)).toBe('cp -r א 1 ב # ١ ٢ ⏎ echo x');
  const edited = log.getByRole('region', { name: 'a⟨U+202E⟩txt.md' });
  await edited.getByText('⟨U+2066⟩a').waitFor();
  await edited.getByText('⟨U+200B⟩b').waitFor();
  const links = await log.getByRole('link').all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(addresses.every((address) => address?.startsWith('https://example.org/'))).toBe(true);
  expect(await page.getByText('<script>window.harmed = true</script>').count()).toBeGreaterThan(0);
  expect(await page.evaluate(() => 'harmed' in globalThis)).toBe(false);
  expect(await isTooWide(page)).toBe(false);
  expect(asked.filter((address) => address.includes('example.org'))).toEqual([]);
  expect(await seriousBarriers(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await page.getByRole('button', { name: 'M a⟨U+202E⟩txt.md' }).waitFor();
  await page.getByRole('button', { name: 'a⟨U+202E⟩txt.md', exact: true }).waitFor();
});

test('shows marks for what turns a text or cannot be seen, in titles and transcripts', async () => {
  const turned = (name: string) => `${name} \u202Eeno\u202C \u001B[31mred`;
  const sessionId = await importSession(served().client, served().work, [
    { type: 'message.completed', messageId: 'm', kind: 'text', text: turned('text') },
    { type: 'message.completed', messageId: 'e', kind: 'text', text: 'entity &#x202E;eno' },
    { type: 'message.completed', messageId: 'i', kind: 'text', text: `\`${turned('span')}\`` },
    {
      type: 'message.completed',
      messageId: 'c',
      kind: 'text',
      text: `\`\`\`js\n${turned('code')}`,
    },
    { type: 'notice', level: 'warning', code: 'retry', message: turned('notice') },
  ]);
  await served().client.sessions.patch(sessionId, { title: turned('title') });
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  const log = page.getByRole('log');
  for (const name of ['text', 'span', 'code', 'notice']) {
    await log.getByText(`${name} ⟨U+202E⟩eno⟨U+202C⟩ ⟨U+001B⟩[31mred`).first().waitFor();
  }
  await log.getByText('entity ⟨U+202E⟩eno').waitFor();
  await page.getByRole('heading', { name: 'title ⟨U+202E⟩eno' }).waitFor();
  await expect.poll(() => page.title()).toContain('title ⟨U+202E⟩eno');
  const markup = await page.content();
  expect(markup.match(/\p{Bidi_Control}/gu)).toBeNull();
  expect(markup).not.toContain('\u001B');
});

test('shows exactly what is to be allowed, and the text around it keeps its place', async () => {
  const work = join(served().work, 'w\u202Eork');
  mkdirSync(work);
  const { sessionId, say } = await handAgent({ ...served(), work });
  const input = { url: 'https://example.org/\u2066x' };
  await say(asks('r1', { ...TURNED, cwd: '/tmp/e\u200Blse' }), asks('r2', EDITED), {
    ...asks('r3', { type: 'mcp', server: 'web', tool: 'op\u200Ben' }),
    ...{ input, editable: true, reason: 'می\u200Cخواهم \u202Eببینم' },
  });
  const page = await openPage(served(), {
    path: `/sessions/${sessionId}`,
    viewport: { width: 1280, height: 1400 },
  });
  const cards = page.getByRole('region', { name: 'Permission request' });
  await cards.getByText('echo ⟨U+202E⟩"dlrow olleh"⟨U+200B⟩').waitFor();
  await cards.getByText('in /tmp/e⟨U+200B⟩lse').waitFor();
  await cards.first().getByText('a⟨U+2063⟩ tool', { exact: true }).waitFor();
  await page.locator('header').getByText('w⟨U+202E⟩ork').waitFor();
  await cards.getByText('a⟨U+202E⟩txt.md').waitFor();
  await cards.getByText('web · op⟨U+200B⟩en').waitFor();
  await cards.getByText('می\u200Cخواهم').waitFor();
  await cards.getByText('"url": "https://example.org/\\u2066x"').waitFor();
  await screenshot(page, 'unseen-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, 'unseen-dark');
  await page.getByRole('button', { name: 'Edit…' }).click();
  const edited = page.getByLabel('Edited input');
  expect(JSON.parse(await edited.inputValue())).toEqual(input);
  expect(await edited.inputValue()).not.toContain('\u2066');
  await cards.first().getByRole('button', { name: 'Always allow…' }).click();
  const pattern = cards.first().getByLabel('Pattern to allow');
  expect(await pattern.inputValue()).toBe('echo ⟨U+202E⟩"dlrow olleh"⟨U+200B⟩');
  expect(await pattern.isEditable()).toBe(false);
  await cards
    .getByText(/^For a⟨U\+2063⟩ tool, in every session of .*w⟨U\+202E⟩ork\. Contains/)
    .waitFor();
  await cards.first().getByRole('button', { name: 'Back' }).click();
  await cards.first().getByRole('button', { name: 'Deny…' }).click();
  await cards
    .first()
    .getByLabel(/^Reason/)
    .fill('no \u202Ereversed');
  await page.keyboard.press('Enter');
  const settled = page.getByText(/^Denied: \$ echo ⟨U\+202E⟩"dlrow olleh"⟨U\+200B⟩, by you: no/);
  await settled.waitFor();
  const isolated = await settled
    .locator('bdi')
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).unicodeBidi));
  expect(isolated).toEqual(['isolate', 'isolate']);
});

test('all that is asked is drawn in its order, whatever its letters and spaces', async () => {
  const { sessionId, say } = await handAgent(served());
  const renamed = { path: 'a\nb  c', kind: 'rename', newPath: 'ג 2 ד' };
  await say(
    asks('r1', LETTERS),
    asks('r2', { type: 'file.edit', changes: [renamed] }),
    asks('r3', { type: 'fetch', url: 'https://א.example/1/ב', query: 'and ה, 3, ו' }),
    asks('r4', { type: 'mcp', server: 'א', tool: '1 ב' }),
    asksWhich('r5', { label: 'Yes \u202Eon', description: 'ז 4 ח' }),
  );
  const page = await openPage(served(), {
    path: `/sessions/${sessionId}`,
    viewport: { width: 1280, height: 2400 },
  });
  const cards = page.getByRole('region', { name: 'Permission request' });
  const command = cards.locator('pre').first();
  expect(await drawnWords(command)).toBe('cp -r א 1 ב # ١ ٢ echo x');
  const path = cards.nth(1).getByText('a ⏎ b').locator('..');
  expect(await path.innerText()).toBe('a ⏎ b  c → ג 2 ד');
  expect(await drawnWords(path)).toBe('a ⏎ b c → ג 2 ד');
  await cards.nth(1).getByRole('button', { name: 'Always allow…' }).click();
  await cards.nth(1).getByText('Exactly this action with').waitFor();
  const address = cards.nth(2).getByText('Fetch https://');
  expect(await drawnWords(address)).toBe('Fetch https:// א .example/1/ ב');
  expect(await drawnWords(cards.nth(2).locator('pre'))).toBe('and ה , 3, ו');
  expect(await drawnWords(cards.nth(3).getByText('· 1'))).toBe('א · 1 ב');
  const question = page.getByRole('form', { name: 'Question from the agent' });
  await question.getByText('Which ⟨U+2067⟩one?').waitFor();
  const option = question.getByText('Yes ⟨U+202E⟩on');
  const around = await option.evaluate((each) => getComputedStyle(each).unicodeBidi);
  expect(around).toBe('isolate');
  await screenshot(page, 'letters-light');
});

test('nothing of what is to be allowed is hidden silently', async () => {
  const { sessionId, say } = await handAgent(served());
  const command = Array.from({ length: 60 }, (_, line) => `echo line ${line}`).join('\n');
  await say(asks('r1', { type: 'command', command, cwd: '/tmp/elsewhere' }), {
    ...asks('r2', { type: 'mcp', server: 'web', tool: 'open' }),
    input: { text: `${'x'.repeat(30_000)} the end` },
  });
  // Browsers take long to put so many words in their order.
  await say(asks('r3', { type: 'fetch', url: `https://a.example/${'א '.repeat(50_000)}` }));
  const page = await openPage(served(), {
    path: `/sessions/${sessionId}`,
    viewport: { width: 390, height: 2400 },
  });
  const cards = page.getByRole('region', { name: 'Permission request' });
  const scrolling = () =>
    cards.locator('pre, div').evaluateAll((all) => {
      const isHigher = (each: Element) => each.scrollHeight > each.clientHeight + 1;
      return all.filter((each) => getComputedStyle(each).overflowY !== 'visible' && isHigher(each))
        .length;
    });
  await cards.getByText('in /tmp/elsewhere').waitFor();
  await page.getByRole('button', { name: /^Show 10,000 of \d+,\d+ more/ }).waitFor();
  expect(await cards.getByText('echo line 59').count()).toBe(0);
  expect(await scrolling()).toBe(0);
  await screenshot(page, 'long-requests-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, 'long-requests-dark');
  await page.getByRole('button', { name: 'Show 46 more lines' }).click();
  await cards.getByText('echo line 59').waitFor();
  expect(await scrolling()).toBe(0);
  await page.getByRole('button', { name: 'Show 29,024 more characters' }).click();
  await cards.getByText('the end').waitFor();
  expect(await isTooWide(page)).toBe(false);

  const other = await handAgent(served());
  const far = `./${'a/../'.repeat(900)}../.ssh/authorized_keys`;
  const paths = [far, ...Array.from({ length: 60 }, (_, n) => `${n} ${'א '.repeat(2000)}`)];
  const changes = paths.map((path) => ({ path, kind: 'edit' }));
  await other.say(asks('r4', { type: 'file.edit', changes }));
  await page.goto(`${served().url}/app/sessions/${other.sessionId}`);
  await page.getByRole('button', { name: 'Show 20 of 41 more changes' }).waitFor();
  await screenshot(page, 'long-paths');
  await page.getByRole('button', { name: 'Show 20 of 41 more changes' }).click();
  await page.getByRole('button', { name: 'Show 20 of 21 more changes' }).waitFor();
  await page
    .getByRole('button', { name: /more characters/ })
    .first()
    .click();
  await cards.getByText('authorized_keys').waitFor();
});

function asks(requestId: string, action: object) {
  return {
    ...{ type: 'permission.requested', requestId, tool: 'a\u2063 tool', action, scopes: ['once'] },
  };
}

function asksWhich(requestId: string, option: object) {
  const question = { id: 'q', question: 'Which \u2067one?', options: [option], freeText: false };
  return { type: 'question.requested', requestId, questions: [{ ...question, multiple: false }] };
}
