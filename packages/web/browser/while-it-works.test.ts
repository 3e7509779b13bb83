import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answerElsewhere, ask, script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('a mode chosen while a task runs is said to apply from the next prompt, and the prompt is queued', async () => {
  const { page, sessionId } = await openStalled(served());
  const note = page.getByText('From the next prompt.');
  expect(await note.count()).toBe(0);
  await page.getByRole('radio', { name: 'Send now' }).waitFor();
  await page.getByRole('combobox', { name: 'Permissions' }).selectOption('Bypass permissions');
  await page.getByRole('button', { name: 'From the next prompt' }).click();
  await note.getByText('The running task keeps: Ask for everything.').waitFor();
  expect(await page.getByRole('radio', { name: 'Send now' }).isDisabled()).toBe(true);
  expect(await page.getByRole('radio', { name: 'Queue' }).isChecked()).toBe(true);
  await screenshot(page, 'mode-of-next-prompt');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Reset' }).click();
  await note.waitFor({ state: 'detached' });
  expect(await page.getByRole('radio', { name: 'Send now' }).isChecked()).toBe(true);

  await page.getByRole('combobox', { name: 'Permissions' }).selectOption('Bypass permissions');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await promptOf(page).fill(script({ say: 'Later.' }));
  await promptOf(page).press('Enter');
  await page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem').waitFor();
  // The session has the new mode, the running task does not.
  await note.getByText('The running task keeps: Ask for everything.').waitFor();
  const { data } = await served().client.tasks.find({ session_id: sessionId, sort: 'oldest' });
  expect(data.map(({ status, permission_mode }) => [status, permission_mode])).toEqual([
    ['RUNNING', 'ask'],
    ['QUEUED', 'allow-all'],
  ]);
  expect(await page.getByText(/^Noted:/).count()).toBe(0);
});

test('a wider mode answers open requests of the running task, after a confirmation', async () => {
  const steps = script({ shell: 'echo one' }, { write: { path: 'two.txt', content: '2' } });
  const { sessionId, taskId } = await ask(served(), steps);
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  await page.locator('[data-request]').waitFor();
  await page.getByRole('combobox', { name: 'Permissions' }).selectOption('Bypass permissions');
  const dialog = page.getByRole('dialog', { name: 'Bypass permissions now?' });
  await dialog.getByText('The open request is allowed.').waitFor();
  // An Enter that was meant for something else changes nothing.
  await hasFocus(dialog.getByRole('button', { name: 'From the next prompt' }));
  await screenshot(page, 'wider-mode');
  expect(await seriousBarriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await served().client.tasks.get(taskId)).toMatchObject({ permission_mode: 'ask' });

  await page.getByRole('button', { name: 'Apply now' }).click();
  await dialog.getByRole('button', { name: 'Apply now' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('[data-request]').waitFor({ state: 'detached' });
  await expect
    .poll(() => served().client.tasks.get(taskId))
    .toMatchObject({ status: 'COMPLETED', permission_mode: 'allow-all' });
  await page.getByText('Permission mode "allow-all" applies from here.').waitFor();
  await page.getByText(/Allowed once: \$ echo one, by a rule/).waitFor();
  expect(await page.getByText('From the next prompt.').count()).toBe(0);
  await screenshot(page, 'wider-mode-applied');
});

test('a stricter mode chosen while a task runs applies from the next prompt', async () => {
  const { client, work } = served();
  const { session_id } = await client.sessions.create({
    ...{ cwd: work, backend: 'demo', permission_mode: 'auto' },
  });
  await client.sessions.executeTask(session_id, { prompt: 'demo:stall' });
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  await page.getByText('I am going to be silent now.').waitFor();
  await page.getByRole('combobox', { name: 'Permissions' }).selectOption('Ask for everything');
  await page
    .getByText('From the next prompt. The running task keeps: Ask for risky actions.')
    .waitFor();
  expect(await page.getByRole('button', { name: 'Apply now' }).count()).toBe(0);
});

test('a changed option is not dropped by steering the running agent', async () => {
  const { page, sessionId } = await openStalled(served());
  await page.getByRole('button', { name: 'Options' }).click();
  const fields = page.getByRole('dialog', { name: 'Model and options' });
  await fields.getByRole('spinbutton').first().fill('3');
  await page.getByText('From the next prompt. The running task keeps: its options.').waitFor();
  await page.keyboard.press('Escape');
  await promptOf(page).fill(script({ say: 'Later.' }));
  await promptOf(page).press('Enter');
  await page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem').waitFor();
  const { data } = await served().client.tasks.find({ session_id: sessionId, sort: 'newest' });
  expect(data.map(({ options }) => Object.values(options))).toEqual([[3], []]);
});

test('an empty prompt leaves the keys to a request that arrives, also after sending', async () => {
  const { client, work } = served();
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  await promptOf(page).click();
  await promptOf(page).fill(script({ shell: 'ls after' }, { shell: 'ls more' }));
  await page.keyboard.press('Enter');
  await page.locator('[data-ready]').waitFor();
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: \$ ls after, by you/).waitFor();
  expect(await promptOf(page).inputValue()).toBe('');

  // A message sent while the next request is pending gives the keys back, too.
  await page.getByText('ls more').first().waitFor();
  await promptOf(page).fill('Be quick');
  await page.keyboard.press('Enter');
  await expect.poll(() => promptOf(page).inputValue()).toBe('');
  await page.locator('[data-ready]').waitFor();
  await expect.poll(() => isFocused(page)).toBe(false);
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: \$ ls more, by you/).waitFor();
});

test('keys are shown as inactive while the prompt takes them', async () => {
  const { sessionId } = await ask(served(), script({ shell: 'ls keys' }));
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  const caps = page.locator('[data-request] kbd');
  const inactive = page.locator('[data-request] kbd[data-inactive]');
  await expect.poll(() => caps.count()).toBe(4);
  // The prompt gives up the focus when the request arrives.
  await expect.poll(() => inactive.count()).toBe(0);
  const hint = page.getByText('Esc, then y');
  const before = await page.getByRole('button', { name: /^Deny/ }).boundingBox();
  await promptOf(page).focus();
  await hint.waitFor();
  expect(await inactive.count()).toBe(4);
  expect(await page.getByRole('button', { name: /^Deny/ }).boundingBox()).toEqual(before);
  await screenshot(page, 'inactive-keys');
  expect(await seriousBarriers(page)).toEqual([]);
  // A draft is not interrupted by a request.
  await page.keyboard.type('A draft');
  await hasFocus(promptOf(page));
  await page.keyboard.press('Escape');
  await hint.waitFor({ state: 'detached' });
  expect(await inactive.count()).toBe(0);
  await answerElsewhere(served(), sessionId);
});

function promptOf(page: Page) {
  return page.getByRole('textbox', { name: 'Prompt' });
}

function isFocused(page: Page): Promise<boolean> {
  return promptOf(page).evaluate((field) => field === document.activeElement);
}

async function openStalled(place: ServedPage) {
  const { sessionId } = await ask(place, 'demo:stall');
  const page = await openPage(place, { path: `/sessions/${sessionId}` });
  await page.getByText('I am going to be silent now.').waitFor();
  return { page, sessionId };
}
