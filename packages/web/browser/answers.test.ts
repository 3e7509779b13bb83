import { expect, test } from 'vitest';
import { script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { isEnabled } from './testing/is-enabled.ts';
import { openPage } from './testing/page.ts';
import { pressUntil } from './testing/press-until.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('creates a task, answers its requests and reviews its changes by keyboard', async () => {
  const page = await openPage(served(), { path: await newSession(served()) });
  await page.getByRole('textbox', { name: 'Prompt' }).focus();
  await page.keyboard.type('Show me around');
  await page.keyboard.press('Enter');
  const asked = page.getByRole('region', { name: 'Permission request' });
  await asked.getByText('The prompt was: Show me around').waitFor();
  expect(await seriousBarriers(page)).toEqual([]);
  // All of what is asked is seen without scrolling in it.
  const scrolling = await asked
    .locator('*')
    .evaluateAll((parts) =>
      parts.filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY)),
    );
  expect(scrolling).toEqual([]);
  await page.getByRole('log').focus();
  await asked.getByRole('button', { name: 'Allow once y' }).waitFor();
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: Edit hello-from-baton.md, by you/).waitFor();
  await asked.getByText('wc -l hello-from-baton.md').waitFor();
  await asked.getByRole('button', { name: 'Deny… d' }).waitFor();
  await page.locator('[data-ready]').waitFor();
  // Keys answer again as soon as a form is closed.
  const deny = asked.getByRole('button', { name: 'Deny', exact: true });
  await page.keyboard.press('d');
  await deny.waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-ready]').waitFor();
  await page.keyboard.press('d');
  await isEnabled(deny);
  await page.keyboard.type('Not today');
  await page.keyboard.press('Enter');
  await page.getByText(/Denied: \$ wc -l hello-from-baton.md, by you: Not today/).waitFor();
  const question = page.getByRole('form', { name: 'Question from the agent' });
  await question.getByText('2', { exact: true }).waitFor();
  // Why it was denied is told once, and not also as what the tool printed.
  const told = await page.getByRole('log').innerText();
  expect(told.split('Not today')).toHaveLength(2);
  await page.keyboard.press('2');
  await hasFocus(question.getByRole('radio', { name: 'Chatty', checked: true }));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByText('You chose: Brief.').waitFor();
  await page.getByText('Should I be brief or chatty? Brief, by you').waitFor();
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('The demo agent wrote this file.').waitFor();
});

test('a command that was edited is shown as what ran', async () => {
  const page = await openPage(served(), { path: await newSession(served()) });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill(script({ shell: 'echo original' }));
  await prompt.press('Enter');
  await page.getByRole('button', { name: 'Edit…' }).click();
  const edited = page.getByLabel('Edited input');
  await edited.fill('{ "command": "echo changed" }');
  await edited.press('ControlOrMeta+Enter');
  const log = page.getByRole('log');
  await log.getByText(/Allowed once, edited: \$ echo changed, by you/).waitFor();
  await log.getByRole('button', { name: /^echo changed/ }).waitFor();
  await log.getByText('Done', { exact: true }).waitFor();
  expect(await log.getByRole('button', { name: /^echo original/ }).count()).toBe(0);
});

test('always allow shows a pattern, and does not ask again', async () => {
  const page = await openPage(served(), { path: await newSession(served()) });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  const several = `echo one\necho ${'of many words '.repeat(20)}here`;
  const steps = [several, several, 'echo one', 'echo two'].map((shell) => ({ shell }));
  await prompt.fill(script(...steps));
  await prompt.press('Enter');
  await page.getByRole('button', { name: /Always/ }).click();
  const pattern = page.getByLabel('Pattern to allow');
  expect(await pattern.inputValue()).toBe(several);
  expect(await pattern.evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0);
  await screenshot(page, 'always');
  await isEnabled(page.getByRole('button', { name: 'Always allow' }));
  await pattern.press('End');
  await pattern.press('Enter');
  await isEnabled(page.getByRole('button', { name: 'Always allow' }));
  await pattern.press('ControlOrMeta+Enter');
  await page.getByText('The pattern does not match the requested action').waitFor();
  await pattern.press('Backspace');
  await pattern.press('ControlOrMeta+Enter');
  await page.getByText(/Allowed once: \$ echo one\s.*, by a rule/s).waitFor();

  await pressUntil(page.getByRole('button', { name: /Always/ }), pattern);
  await pattern.press('Escape');
  await pressUntil(page.getByRole('button', { name: /Always/ }), pattern);
  // What cannot be seen may come with what is pasted: it is told, and can be mended.
  await pattern.fill('echo\u00a0*');
  await page.getByRole('button', { name: 'Always allow' }).click();
  await page.getByText('Contains invisible characters: echo⟨U+00A0⟩*').waitFor();
  await pattern.fill('echo *');
  await page.getByRole('button', { name: 'Always allow' }).click();
  await page.getByText(/Allowed once: \$ echo two, by a rule/).waitFor();
  const { data } = await served().client.rules.find();
  const made = data.map(({ pattern, folder }) => [pattern, folder]);
  expect(made.toSorted()).toEqual([
    ['echo *', served().work],
    [several, served().work],
  ]);
});

test('a click that coincides with a request goes to what was there before', async () => {
  const path = await askingSession(served(), [{ shell: 'ls here' }, { shell: 'ls there' }]);
  const page = await openPage(served(), { path });
  const allow = page.getByRole('button', { name: /Allow once/ });
  await allow.click({ trial: true });
  await page.evaluate(() => {
    const press = () => {
      const card = document.querySelector('[aria-label="Permission request"]');
      if (!card?.textContent.includes('ls there')) return;
      const click = new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 });
      // Only the click with which the request appears: a later one may be meant for it.
      observer.disconnect();
      card.querySelector('button')?.dispatchEvent(click);
    };
    const observer = new MutationObserver(press);
    observer.observe(document.body, { subtree: true, childList: true });
  });
  await allow.click();
  await page.getByText('ls there').first().waitFor();
  await page.locator('[data-ready]').waitFor();
  const session_id = path.replace('/sessions/', '');
  const asked = await served().client.permissions.find({ session_id, status: 'pending' });
  expect(asked.total).toBe(1);
  await allow.click();
  await page.getByText(/Allowed once: \$ ls there, by you/).waitFor();
});

test('a request that moves under the pointer ignores clicks until it is stable', async () => {
  const path = await askingSession(served(), [{ shell: 'ls moved' }]);
  const page = await openPage(served(), { path });
  const allow = page.getByRole('button', { name: /Allow once/ });
  await page.getByRole('button', { name: /Deny/ }).hover();
  await isEnabled(allow);
  const isDisabled = await allow.evaluate((button: HTMLElement) => {
    const card = button.closest<HTMLElement>('[data-request]');
    const deny = button.parentElement?.lastElementChild?.getBoundingClientRect();
    const { left, top } = button.getBoundingClientRect();
    if (!card || !deny) throw new Error('The request has no buttons.');
    card.style.transform = `translate(${deny.left - left}px, ${deny.top - top}px)`;
    // The click comes before anything is drawn.
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = () => button.hasAttribute('aria-disabled') && resolve(true);
    new MutationObserver(look).observe(button, { attributes: true });
    return promise;
  });
  expect(isDisabled).toBe(true);
  const session_id = path.replace('/sessions/', '');
  const asked = await served().client.permissions.find({ session_id, status: 'pending' });
  expect(asked.total).toBe(1);
  await allow.click();
  await page.getByText(/Allowed once: \$ ls moved, by you/).waitFor();
});

test('letters typed in a menu, or outside the prompt, answer nothing', async () => {
  const path = await askingSession(served(), [{ shell: 'ls one' }]);
  const page = await openPage(served(), { path });
  await page.getByRole('button', { name: /Allow once/ }).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menu').waitFor();
  for (const key of ['y', 's', 'c', '?']) await page.keyboard.press(key);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /Allow once/ }).waitFor();

  // After a file is removed, what is typed goes to the prompt.
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.getByRole('button', { name: 'Remove notes.txt' }).press('Enter');
  await hasFocus(page.getByRole('region', { name: 'Prompt and queue' }));
  await page.locator('[data-ready]').waitFor();
  await page.keyboard.type('yes');
  expect(await page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('yes');
  const session_id = path.replace('/sessions/', '');
  const asked = await served().client.permissions.find({ session_id, status: 'pending' });
  expect(asked.total).toBe(1);
});

async function newSession({ client, work }: ServedPage): Promise<string> {
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  return `/sessions/${session_id}`;
}

/** A session whose agent does these steps. */
async function askingSession(served: ServedPage, steps: readonly object[]): Promise<string> {
  const path = await newSession(served);
  const prompt = script(...steps);
  await served.client.sessions.executeTask(path.replace('/sessions/', ''), { prompt });
  return path;
}
