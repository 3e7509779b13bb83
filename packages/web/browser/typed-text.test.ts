import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, script } from './testing/ask.ts';
import { hasFocus } from './testing/has-focus.ts';
import { isEnabled } from './testing/is-enabled.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();
const SENTENCE = 'yes but keep it short';
const KEY_DELAYS_MS = [30, 60];

test.for(KEY_DELAYS_MS)('a sentence typed at %i ms per key approves nothing', async (delay) => {
  const { page, sessionId } = await openAsking(served(), 'ls one', 'ls two');
  await typeText(page, SENTENCE, delay);
  expect(await promptOf(page).inputValue()).toBe(SENTENCE);
  expect(await pendingCommand(served(), sessionId)).toBe('ls one');
});

test('a sentence typed in the inbox approves nothing', async () => {
  const { sessionId } = await ask(served(), script({ shell: 'ls inbox' }));
  const page = await openWithClock(served(), '/inbox');
  await page.locator('[data-ready]').waitFor();
  await page
    .getByRole('article')
    .filter({ hasText: 'ls inbox' })
    .getByRole('button', { name: /Allow once/ })
    .focus();
  await typeText(page, `${SENTENCE}\n`, 30);
  expect(await pendingCommand(served(), sessionId)).toBe('ls inbox');
});

test('an isolated y answers, and the prompt has the focus once nothing is pending', async () => {
  const { page } = await openAsking(served(), 'ls first', 'ls second');
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: \$ ls first, by you/).waitFor();
  await page.getByText('ls second').first().waitFor();
  await page.locator('[data-ready]').waitFor();
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: \$ ls second, by you/).waitFor();
  await hasFocus(promptOf(page));
  await screenshot(page, 'after-last-answer');
});

test('keys that repeat, or come with a modifier, answer nothing', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls held');
  await inPageTime(page, async () => {
    await page.keyboard.down('y');
    await page.keyboard.down('y');
    await page.keyboard.up('y');
    for (const key of ['Alt+y', 'Control+Shift+y']) await page.keyboard.press(key);
  });
  expect(await pendingCommand(served(), sessionId)).toBe('ls held');
});

test('s asks to confirm what it allows, and Enter confirms it', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls shared', 'ls shared');
  await page.keyboard.press('s');
  const confirm = page.getByRole('button', { name: /^Allow for this session(?!…)/ });
  await hasFocus(confirm);
  await page.getByText('for exactly this, without asking again').waitFor();
  expect(await pendingCommand(served(), sessionId)).toBe('ls shared');
  await screenshot(page, 'session-confirmation');
  await page.keyboard.press('Escape');
  await confirm.waitFor({ state: 'detached' });
  await page.locator('[data-ready]').waitFor();
  await page.keyboard.press('s');
  await isEnabled(confirm);
  await page.keyboard.press('Enter');
  await page.getByText(/Allowed for the session: \$ ls shared, by you/).waitFor();
  await page.getByText(/Allowed once: \$ ls shared, by a rule/).waitFor();
});

test('text typed over the confirmation for a session confirms nothing', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls unsure');
  await page.keyboard.press('s');
  const confirm = page.getByRole('button', { name: /^Allow for this session(?!…)/ });
  await isEnabled(confirm);
  await typeText(page, 'so not this', 30);
  expect(await promptOf(page).inputValue()).toBe('so not this');
  expect(await pendingCommand(served(), sessionId)).toBe('ls unsure');
});

test('a always shows a form, and allows nothing by itself', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls always');
  await page.keyboard.press('a');
  await hasFocus(page.getByLabel('Pattern to allow'));
  expect(await pendingCommand(served(), sessionId)).toBe('ls always');
  await isEnabled(page.getByRole('button', { name: 'Always allow' }));
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByText(/Allowed permanently: \$ ls always, by you/).waitFor();
});

test('a double click answers one request, and does not widen it', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls once', 'ls twice');
  const position = await page.getByRole('button', { name: /^Allow once/ }).boundingBox();
  if (!position) throw new Error('The button is not shown.');
  const { x, y } = position;
  await page.mouse.dblclick(x + 10, y + 10, { delay: 50 });
  await page.getByText(/Allowed once: \$ ls once, by you/).waitFor();
  await page.getByText('ls twice').first().waitFor();
  await page.locator('[data-ready]').waitFor();
  expect(await pendingCommand(served(), sessionId)).toBe('ls twice');
  const confirm = page.getByRole('button', { name: /^Allow for this session(?!…)/ });
  await page.getByRole('button', { name: /^Allow for this session…/ }).dblclick();
  await isEnabled(confirm);
  await page.getByRole('button', { name: 'Back' }).dblclick();
  await isEnabled(page.getByRole('button', { name: /^Allow once/ }));
  expect(await pendingCommand(served(), sessionId)).toBe('ls twice');
  await page.getByRole('button', { name: /^Allow for this session…/ }).click();
  await confirm.click();
  await page.getByText(/Allowed for the session: \$ ls twice, by you/).waitFor();
});

test('text typed over the question of Esc does not stop the agent', async () => {
  const { sessionId, taskId } = await ask(served(), 'demo:stall');
  const page = await openWithClock(served(), `/sessions/${sessionId}`);
  await page.getByText('I am going to be silent now.').waitFor();
  await page.getByRole('log').focus();
  await page.keyboard.press('Escape');
  const keepRunning = page.getByRole('dialog').getByRole('button', { name: 'Keep running' });
  await hasFocus(keepRunning);
  await typeText(page, 'oh no wait', 60);
  await hasFocus(keepRunning);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { status } = await served().client.tasks.get(taskId);
  expect(status).toBe('RUNNING');
});

test('a double click that opens a form leaves the focus in it', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls double');
  const confirm = page.getByRole('button', { name: /^Allow for this session(?!…)/ });
  const open = page.getByRole('button', { name: /^Allow for this session…/ });
  await open.dblclick();
  await isEnabled(confirm);
  await hasFocus(confirm);
  await page.getByRole('heading', { name: 'Allow this action?' }).click();
  await page.keyboard.press('Escape');
  await open.waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await pendingCommand(served(), sessionId)).toBe('ls double');
});

test('text typed over a button in the inbox takes the focus from it', async () => {
  const { sessionId } = await ask(served(), script({ shell: 'ls dropped' }));
  const page = await openWithClock(served(), '/inbox');
  await page.locator('[data-ready]').waitFor();
  const waiting = page.getByRole('article').filter({ hasText: 'ls dropped' });
  const allow = waiting.getByRole('button', { name: /Allow once/ });
  await isEnabled(allow);
  await allow.focus();
  await typeText(page, 'please wait', 60);
  await hasFocus(waiting.getByRole('region', { name: 'Permission request' }));
  await page.keyboard.press('Enter');
  await isEnabled(allow);
  expect(await pendingCommand(served(), sessionId)).toBe('ls dropped');
});

test('Space does not confirm an answer for the session', async () => {
  const { page, sessionId } = await openAsking(served(), 'ls space');
  await page.keyboard.press('s');
  const confirm = page.getByRole('button', { name: /^Allow for this session(?!…)/ });
  await isEnabled(confirm);
  await hasFocus(confirm);
  await page.clock.runFor(1000);
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await isEnabled(page.getByRole('button', { name: /^Allow once/ }));
  expect(await pendingCommand(served(), sessionId)).toBe('ls space');
});

type Opened = { page: Page; sessionId: string };

/** Opens a session whose agent asks to run these commands, one after the other. */
async function openAsking(page: ServedPage, ...commands: string[]): Promise<Opened> {
  const { sessionId } = await ask(page, script(...commands.map((shell) => ({ shell }))));
  const opened = await openWithClock(page, `/sessions/${sessionId}`);
  await opened.locator('[data-ready]').waitFor();
  return { page: opened, sessionId };
}

function promptOf(page: Page) {
  return page.getByRole('textbox', { name: 'Prompt' });
}

async function openWithClock(served: ServedPage, path: string): Promise<Page> {
  const page = await openPage(served, { path });
  await page.clock.install();
  await page.reload();
  return page;
}

async function typeText(page: Page, text: string, delay: number): Promise<void> {
  await inPageTime(page, async () => {
    for (const character of text) {
      await page.keyboard.type(character);
      await page.clock.runFor(delay);
    }
  });
}

/** Presses keys in the time of the page, however busy the machine is, until no key press can still wait to act. */
async function inPageTime(page: Page, press: () => Promise<void>): Promise<void> {
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await press();
  await page.clock.runFor(2000);
  await page.clock.resume();
}

async function pendingCommand({ client }: ServedPage, session_id: string): Promise<string> {
  const { data } = await client.permissions.find({ session_id, status: 'pending' });
  const [pending] = data as unknown as { request: { action: { command: string } } }[];
  if (!pending) throw new Error('No request is pending.');
  return pending.request.action.command;
}
