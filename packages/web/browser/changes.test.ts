import { expect, test } from 'vitest';
import { answerElsewhere, ask, script } from './testing/ask.ts';
import { importSession } from './testing/long-session.ts';
import { openPage } from './testing/page.ts';
import { countNodes, watchWork } from './testing/page-cost.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();
const SMALL_DIFF = '@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n export { a };\n';

test('what a session changed is shown file by file, in one column or side by side', async () => {
  const page = await openPage(served(), {
    path: await changed({ path: 'src/a.ts', kind: 'edit', diff: SMALL_DIFF }, ADDED, DELETED),
  });
  await page.getByText('3 files, +2 −1 lines').waitFor();
  const lines = page.locator('[data-kind=add]', { hasText: 'const b = 3;' });
  await lines.waitFor();
  const before = page.locator('[data-kind=remove]', { hasText: 'const b = 2;' });
  const isBeside = async () => (await before.boundingBox())?.y === (await lines.boundingBox())?.y;
  expect(await isBeside()).toBe(false);
  await page.getByRole('button', { name: 'Split view' }).click();
  await expect.poll(isBeside).toBe(true);
  await screenshot(page, 'changes-split');
  // It is remembered.
  await page.reload();
  await page.getByRole('button', { name: 'Unified view' }).waitFor();
  expect(await isBeside()).toBe(true);

  const file = page.getByRole('button', { name: 'src/a.ts', exact: true });
  await file.click();
  await lines.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^M a\.ts/ }).click();
  await lines.waitFor();
  await page.getByText('File deleted.').waitFor();
});

test('a session without changes says so, and shows changes as they happen', async () => {
  const write = { path: 'one.txt', content: 'First' };
  const other = { path: 'two.txt', content: 'Second' };
  const { sessionId } = await ask(served(), script({ write }, { write: other }));
  const page = await openPage(served(), { path: `/sessions/${sessionId}/changes` });
  await page.getByRole('heading', { name: /^No changes/ }).waitFor();
  const way = page.getByRole('link', { name: 'Changes' });
  expect(await way.innerText()).toBe('Changes');
  await answerElsewhere(served(), sessionId);
  await page.getByText('1 file, +1 −0 lines').waitFor();
  await page.getByText('First', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Changes 1 file' }).waitFor();
  // The number is that of the files that are shown, as soon as they are.
  await page.getByRole('link', { name: 'Transcript' }).click();
  await answerElsewhere(served(), sessionId);
  await page.getByRole('log').getByText('Done', { exact: true }).waitFor();
  await way.click();
  await page.getByText('2 files, +2 −0 lines').waitFor();
  expect(await way.innerText()).toContain('2');
});

test('a change of 2,000 lines is shown piece by piece', async () => {
  const diff = `@@ -1,0 +1,2000 @@\n${Array.from({ length: 2000 }, (_, n) => `+line ${n}\n`).join('')}`;
  const small = await openPage(served(), {
    path: await changed({ path: 'a.ts', kind: 'edit', diff: SMALL_DIFF }),
  });
  await small.getByText('const b = 3;').waitFor();
  const page = await openPage(served(), {
    path: await changed({ path: 'big.ts', kind: 'edit', diff }),
  });
  await page.getByText('line 399', { exact: true }).waitFor();
  const inPiece = (await countNodes(page)) - (await countNodes(small));
  expect(inPiece).toBeLessThan(400 * 6);
  expect(await page.getByText('line 400', { exact: true }).count()).toBe(0);
  for (let shown = 400; shown < 2000; shown += 400) {
    await page.getByRole('button', { name: /^Show 400/ }).click();
    await page.getByText(`line ${shown + 399}`, { exact: true }).waitFor();
  }
  expect(await page.getByRole('button', { name: /^Show 400/ }).count()).toBe(0);
});

test('1 MB of output opens and collapses without blocking the page, and 1 MB of text is shown on demand', async () => {
  const output = Array.from({ length: 20_000 }, (_, n) => `${n} ${'x'.repeat(48)}\n`).join('');
  const action = { type: 'command', command: 'cat big.log' };
  const call = { callId: 'c', name: 'shell', action };
  const text = `${'Many words. '.repeat(85_000)}At last.`;
  const sessionId = await importSession(served().client, served().work, [
    { type: 'message.completed', messageId: 'm', kind: 'text', text },
    { type: 'tool.started', ...call },
    { type: 'tool.completed', ...call, outcome: 'ok', output },
  ]);
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  const log = page.getByRole('log');
  await log.evaluate((list) => list.scrollTo(0, 0));
  await log.getByText(/^Many words/).waitFor();
  expect(await log.innerText()).not.toContain('At last.');
  await log.getByRole('button', { name: 'Show all 996.1 KB' }).click();
  await log.getByText(/At last\.$/).waitFor();
  await page.reload();
  const more = page.getByRole('button', { name: /^Show .* more lines/ });
  await more.waitFor();
  const folded = await countNodes(page);
  const work = await watchWork(page);
  await more.click();
  await page.getByRole('region', { name: 'Output' }).waitFor();
  await screenshot(page, 'long-output');
  expect((await countNodes(page)) - folded).toBeLessThan(100);
  await page.getByRole('button', { name: 'Show less' }).click();
  await more.waitFor();
  // To show all lines takes many times as much.
  expect(await work()).toBeLessThan(0.5);
});

const ADDED = { path: 'new.md', kind: 'add', diff: 'Hello' };
const DELETED = { path: 'old.md', kind: 'delete' };

/** The address of what a session changed that did just this. */
async function changed(...changes: { path: string; kind: string; diff?: string }[]) {
  const calls = changes.flatMap((change, index) => {
    const action = { type: 'file.edit', changes: [change] };
    const call = { callId: `c${index}`, name: 'edit', action };
    return [
      { type: 'tool.started', ...call },
      { type: 'tool.completed', ...call, outcome: 'ok', output: '' },
    ];
  });
  const sessionId = await importSession(served().client, served().work, calls);
  return `/sessions/${sessionId}/changes`;
}
