import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { finishedSession } from './testing/finished-session.ts';
import { hasFocus } from './testing/has-focus.ts';
import { countNodes } from './testing/page-cost.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage();

test('comments on lines survive a reload and are sent together as one prompt', async () => {
  const { page, session_id } = await finishedSession(served(), 'review-send');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByLabel('Comment on line 2', { exact: true }).last().fill('Say "three" too.');
  await page.keyboard.press('Control+Enter');
  const card = page.getByRole('article', { name: 'Comment' });
  await card.getByText('Say "three" too.').waitFor();
  await file.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
  await file
    .getByRole('button', { name: 'Comment on line 2', exact: true })
    .click({ modifiers: ['Shift'] });
  await page.getByLabel('Comment on lines 1 to 2').fill('Both lines.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByText('2 draft comments').waitFor();
  await page.reload();
  await page.getByText('2 draft comments').waitFor();
  await screenshot(page, 'review-drafts');
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, 'review-drafts-390');
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Send to the agent' }).click();
  await page.getByText('Sent 2 comments to the agent.').waitFor();
  const { client } = served();
  const { data } = await client.tasks.find({ session_id });
  expect(data.map(({ full_prompt }) => full_prompt)).toContain(
    'Address these comments on your change.\n\n1. a.txt:2\n```\ntwo\n```\nSay "three" too.\n\n2. a.txt:1-2\n```\none\ntwo\n```\nBoth lines.',
  );
  await card.first().getByText('Sent', { exact: true }).waitFor();
  await card.first().getByRole('button', { name: 'Resolve' }).click();
  await card.first().getByText('Resolved').waitFor();
  await card.first().getByRole('button', { name: 'Show answer' }).click();
  await page
    .getByRole('article', { name: 'Prompt' })
    .getByText(/2\. a\.txt:1-2/)
    .waitFor();
});

test('a comment follows its line, and says when the line has changed', async () => {
  const { page, tree } = await finishedSession(served(), 'review-moved');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
  await page.getByLabel('Comment on line 2', { exact: true }).last().fill('About two.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  const card = page.getByRole('article', { name: 'Comment' });
  await card.waitFor();
  const path = join(tree, 'a.txt');
  writeFileSync(path, `zero\n${readFileSync(path, 'utf8')}`);
  // The line is the third one now, and the comment is still below it.
  await file.getByRole('button', { name: 'Comment on line 3', exact: true }).waitFor();
  const row = file.locator('[data-kind=add]', { hasText: 'two' });
  await expect
    .poll(() => row.evaluate((line) => line.nextElementSibling?.textContent))
    .toContain('About two.');
  await file.getByRole('button', { name: 'Comment on this file' }).click();
  await page.getByLabel('Comment on a.txt').fill('About all of it.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await card.getByText('About all of it.').waitFor();
  writeFileSync(path, 'zero\none\n2\n');
  await card.getByText('Lines changed since').waitFor();
  await card.getByText('a.txt:2').waitFor();
  await screenshot(page, 'review-outdated');
  // The file is as it was before the agent: its comments stay visible.
  writeFileSync(path, 'one\n');
  await expect.poll(() => file.count()).toBe(0);
  await card.getByText('About two.').waitFor();
});

test('a viewed file is collapsed, also after a reload, until it changes again', async () => {
  const { page, tree } = await finishedSession(served(), 'review-viewed');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  const line = file.locator('[data-kind=add]', { hasText: 'two' });
  await line.waitFor();
  await page.getByText('0 of 2 viewed').waitFor();
  await file.getByRole('checkbox', { name: 'Viewed' }).check();
  await page.getByText('1 of 2 viewed').waitFor();
  await line.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('1 of 2 viewed').waitFor();
  expect(await file.getByRole('checkbox', { name: 'Viewed' }).isChecked()).toBe(true);
  expect(await line.count()).toBe(0);
  await screenshot(page, 'review-viewed');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(page)).toBe(false);
  await screenshot(page, 'review-viewed-390');
  // Another file does not reset the mark.
  writeFileSync(join(tree, 'c.txt'), 'three\n');
  await page.getByText('1 of 3 viewed').waitFor();
  writeFileSync(join(tree, 'a.txt'), 'one\ntwo\nthree\n');
  await page.getByText('0 of 3 viewed').waitFor();
  await line.waitFor();
});

test('files are listed by folder, can be filtered, and are collapsed on a phone', async () => {
  const { page, tree } = await finishedSession(served(), 'review-tree');
  mkdirSync(join(tree, 'src/deep/down'), { recursive: true });
  for (const name of ['src/deep/down/x.ts', 'src/deep/down/y.ts', 'src/z.ts']) {
    writeFileSync(join(tree, name), 'export {};\n');
  }
  const list = page.getByRole('complementary');
  const file = (name: string) => list.getByRole('button', { name: `A ${name}` });
  await file('x.ts').waitFor();
  const folder = list.getByRole('button', { name: 'deep/down 2' });
  await folder.click();
  await file('x.ts').waitFor({ state: 'detached' });
  await file('z.ts').waitFor();
  await list.getByRole('searchbox', { name: 'Filter files' }).fill('X.ts');
  await list.getByText('1 of 5 files').waitFor();
  await file('z.ts').waitFor({ state: 'detached' });
  await screenshot(page, 'review-tree');
  expect(await seriousBarriers(page)).toEqual([]);
  await file('x.ts').click();
  await page.setViewportSize({ width: 390, height: 844 });
  await file('x.ts').waitFor({ state: 'hidden' });
  await list.getByRole('button', { name: 'Files', exact: true }).click();
  await file('x.ts').waitFor();
  await screenshot(page, 'review-tree-390');
  expect(await isTooWide(page)).toBe(false);
});

test('a change of 1,000 files and 100,000 lines has the elements of what is near the screen', async () => {
  const { page, tree } = await finishedSession(served(), 'review-large');
  const text = Array.from({ length: 100 }, (_, n) => `export const line${n} = ${n};\n`).join('');
  for (let n = 0; n < 1000; n += 1) {
    const folder = join(tree, `src/part${n % 20}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${n}.ts`), `${text}// ${n}\n`);
  }
  await page.getByText(/^1,?002 files/).waitFor();
  await page.getByText('0 of 1,002 viewed').waitFor();
  const lines = page.locator('[data-kind=add]');
  await lines.first().waitFor();
  for (const place of [0.25, 0.5, 0.75, 1]) {
    await page.getByRole('complementary').evaluate((side, place) => {
      const scroller = side.parentElement?.parentElement;
      scroller?.scrollTo(0, place * scroller.scrollHeight);
    }, place);
    // The file in the middle of the screen has its lines.
    await expect
      .poll(() =>
        page.evaluate(() => document.elementFromPoint(900, 500)?.closest('[data-kind]') !== null),
      )
      .toBe(true);
    expect(await lines.count()).toBeLessThan(1500);
    expect(await countNodes(page)).toBeLessThan(15_000);
  }
  await screenshot(page, 'review-large');
});

test('a review needs only keys: files, changes in them, comments, viewed and the filter', async () => {
  const text = Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`).join('');
  const before = { 'c.txt': text };
  const { page, tree } = await finishedSession(served(), 'review-keys', before);
  writeFileSync(
    join(tree, 'c.txt'),
    text.replace('line 10\n', 'ten\n').replace('line 40\n', 'forty\n'),
  );
  const current = page.locator('section[data-current]');
  const isCurrent = (name: string) => current.getByRole('heading', { name }).waitFor();
  await page.getByRole('heading', { name: 'c.txt' }).waitFor();
  await page.keyboard.press('j');
  await isCurrent('a.txt');
  await page.keyboard.press('j');
  await isCurrent('b.txt');
  await page.keyboard.press('k');
  await isCurrent('a.txt');
  await page.keyboard.press('v');
  await page.getByText('1 of 3 viewed').waitFor();
  // The viewed file is collapsed: its changes are left out.
  await page.keyboard.press('n');
  await isCurrent('b.txt');
  await page.keyboard.press('n');
  await isCurrent('c.txt');
  await page.keyboard.press('n');
  const row = current.locator('[data-hunk][data-current]');
  await row.getByText('line 40').waitFor();
  await screenshot(page, 'review-keys');
  await page.keyboard.press('p');
  await row.getByText('line 10').waitFor();
  await page.keyboard.press('c');
  const field = page.getByRole('textbox', { name: 'Comment on line 10' });
  await hasFocus(field);
  // In a field, keys are text.
  await page.keyboard.type('jkv');
  expect(await field.inputValue()).toBe('jkv');
  await isCurrent('c.txt');
  await page.getByText('1 of 3 viewed').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('x');
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('k');
  await isCurrent('b.txt');
  await page.keyboard.press('Enter');
  await current.getByRole('button', { name: 'b.txt', expanded: false }).waitFor();
  await page.keyboard.press('/');
  await hasFocus(page.getByRole('searchbox', { name: 'Filter files' }));
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await keys.getByText('Next change in the files').waitFor();
  await page.keyboard.press('j');
  expect(await page.locator('section[data-current]').innerText()).toContain('b.txt');
  await screenshot(page, 'review-key-help');
});

test('unchanged lines are shown on demand, and the change below them stays where it is', async () => {
  const text = Array.from({ length: 160 }, (_, n) => `const line${n + 1} = 'x';\n`).join('');
  const before = { 'c.ts': text };
  const { page, tree } = await finishedSession(served(), 'review-context', before);
  const changed = text
    .replace("line80 = 'x'", "line80 = 'eighty'")
    .replace("line82 = 'x'", 'x = 1');
  writeFileSync(join(tree, 'c.ts'), changed);
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'c.ts' }) });
  const row = file.locator('[data-hunk="0"]');
  // The lines have the colours of the language.
  await row.locator('span span', { hasText: 'const' }).waitFor();
  const numbers = () => file.locator('[data-kind]').evaluateAll((rows) => rows.length);
  expect(await numbers()).toBe(11);
  await row.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const top = async () => Math.round((await row.boundingBox())?.y ?? Number.NaN);
  const more = file.getByRole('button', { name: 'Show 20 more lines' });
  const atFirst = await top();
  await more.first().click();
  await expect.poll(numbers).toBe(31);
  await expect.poll(top).toBe(atFirst);
  await screenshot(page, 'review-context');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  await more.last().click();
  await expect.poll(numbers).toBe(51);
  expect(await top()).toBe(atFirst);
  // A click of Playwright scrolls to the button.
  const all = file.getByRole('button', { name: 'Show all' });
  await all.first().evaluate((button) => (button as HTMLElement).click());
  await file.getByText('line1 ', { exact: false }).first().waitFor();
  await expect.poll(top).toBe(atFirst);
  await all.click();
  await expect.poll(numbers).toBe(162);
  expect(await more.count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await more.first().waitFor();
  await screenshot(page, 'review-context-390');
  expect(await isTooWide(page)).toBe(false);
});

test('changes of white space are left out on demand, which is remembered', async () => {
  const before = { 'c.txt': 'one\ntwo\nthree\n' };
  const { page, tree } = await finishedSession(served(), 'review-space', before);
  writeFileSync(join(tree, 'c.txt'), 'one\n  two\n3\n');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'c.txt' }) });
  const added = file.locator('[data-kind=add]');
  await expect.poll(() => added.count()).toBe(2);
  await page.getByRole('button', { name: 'Hide whitespace' }).click();
  await expect.poll(() => added.count()).toBe(1);
  await page.reload();
  await page.getByRole('button', { name: 'Show whitespace' }).waitFor();
  await expect.poll(() => added.count()).toBe(1);
});

test('images are shown before and after the change, and an SVG runs no script', async () => {
  const before = { 'c.png': Buffer.from(PIXEL, 'base64') };
  const { page, tree } = await finishedSession(served(), 'review-images', before);
  writeFileSync(join(tree, 'c.png'), Buffer.from(OTHER_PIXEL, 'base64'));
  const hostile =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.ran=1">';
  writeFileSync(
    join(tree, 'd.svg'),
    `${hostile}<script>top.ran=1</script><rect width="40" height="40"/></svg>\n`,
  );
  const file = (name: string) =>
    page.locator('section', { has: page.getByRole('heading', { name }) });
  const width = (name: string, alt: string) =>
    file(name)
      .getByAltText(alt)
      .evaluate((image) => (image as HTMLImageElement).naturalWidth);
  await expect.poll(() => width('c.png', 'Before the change')).toBe(1);
  await expect.poll(() => width('c.png', 'After the change')).toBe(1);
  await expect.poll(() => width('d.svg', 'After the change')).toBe(40);
  expect(await file('d.svg').getByAltText('Before the change').count()).toBe(0);
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  // The text of an SVG is compared too.
  await file('d.svg').locator('[data-kind=add]').first().waitFor();
  await screenshot(page, 'review-images');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(page)).toBe(false);
});

/** Images of one pixel: black, and red. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const OTHER_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC';

test('a half-written comment survives a reload, and files that change meanwhile', async () => {
  const { page, tree, session_id } = await finishedSession(served(), 'review-half');
  const file = page.locator('section', { has: page.getByRole('heading', { name: 'a.txt' }) });
  const line = (n: number) =>
    file.getByRole('button', { name: `Comment on line ${n}`, exact: true });
  const field = () => page.getByLabel('Comment on line 2', { exact: true }).last();
  await line(2).click();
  await field().fill('Half of');
  await page.reload();
  await line(2).click();
  expect(await field().inputValue()).toBe('Half of');
  const path = join(tree, 'a.txt');
  writeFileSync(path, `zero\n${readFileSync(path, 'utf8')}`);
  await line(3).waitFor();
  expect(await field().inputValue()).toBe('Half of');
  await field().fill('Half of a comment.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByText('1 draft comment', { exact: true }).waitFor();
  // It is about the line that was chosen, which is the third one now.
  expect(await served().client.reviewComments.find(session_id)).toMatchObject([
    { line: 2, quote: 'two\n', text: 'Half of a comment.' },
  ]);
  const row = file.locator('[data-kind=add]', { hasText: 'two' });
  await expect
    .poll(() => row.evaluate((each) => each.nextElementSibling?.textContent))
    .toContain('Half of a comment.');
});
