import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { importSession } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const HOSTILE = `<script>window.harmed = true</script>
<img src="https://example.org/x.png" onerror="window.harmed = true">

[run](javascript:window.harmed=true) [data](data:text/html,x) ![seen](https://example.org/pixel.png)

<iframe srcdoc="<script>parent.harmed = true</script>"></iframe>

[fine](https://example.org/fine)

هذا نص عربي ${'漢字'.repeat(200)} ${'x'.repeat(3000)}`;

const action = { type: 'command', command: HOSTILE };
const call = { callId: 'c', name: '<b>tool</b>', action };
const SAID = [
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
  const served = await servePage();
  const sessionId = await importSession(served.client, served.work, SAID);
  const asked: string[] = [];
  const page = await openPage(served, {
    path: `/sessions/${sessionId}`,
    viewport: { width: 390, height: 800 },
  });
  page.on('request', (request) => asked.push(request.url()));
  const log = page.getByRole('log');
  await log.getByText('Done', { exact: true }).waitFor();
  await log.evaluate((list) => list.scrollTo(0, 0));
  await page.getByRole('link', { name: 'fine' }).first().waitFor();
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
});
