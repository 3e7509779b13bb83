import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousBarriers } from './testing/axe.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('while an agent works, prompts steer it or are queued and edited, and Esc stops it', async () => {
  const page = await openPage(served(), { path: await newSession(served()) });
  await loseFirstAnswer(page, 'steerTask');
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  const send = async (text: string) => {
    await prompt.fill(text);
    await prompt.press('Enter');
    await expect.poll(() => prompt.inputValue()).toBe('');
  };
  await send('demo:stall');
  await page.getByText('I am going to be silent now.').waitFor();
  await page.getByRole('radio', { name: 'Send now' }).waitFor();
  // Its answer gets lost; sent once more, it is told to the agent once.
  await prompt.fill('Please hurry');
  await prompt.press('Enter');
  await page.getByText('The answer got lost.').first().waitFor();
  await page.getByText('Noted: Please hurry').waitFor();
  await send('Please hurry');
  await send('Thank you');
  await page.getByText('Noted: Thank you').waitFor();
  expect(await page.getByText('Noted: Please hurry').count()).toBe(1);
  // It is as easy to read as what the agent says.
  const colourOf = (words: string) =>
    page.getByText(words, { exact: true }).evaluate((each) => getComputedStyle(each).color);
  expect(await colourOf('Please hurry')).toBe(await colourOf('I am going to be silent now.'));
  // What is at work is not put aside.
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Stop' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Archive' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByText('Queue', { exact: true }).first().click();
  await send('demo:script [{"say":"First."}]');
  await send('demo:script [{"say":"Second."}]');
  const queue = page.getByRole('list', { name: 'Queued prompts' });
  await expect.poll(() => queue.getByRole('listitem').count()).toBe(2);
  await queue.getByRole('button', { name: 'Cancel prompt' }).last().click();
  await expect.poll(() => queue.getByRole('listitem').count()).toBe(1);
  const log = page.getByRole('log');
  await log.getByText('Cancelled while queued, by you: demo:script [{"say":"Second."}]').waitFor();
  expect(await log.getByText('Stopped', { exact: true }).count()).toBe(0);
  await screenshot(page, 'cancelled-prompt');
  await queue.getByRole('button', { name: 'Edit prompt' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('demo:script [{"say":"Edited."}]');
  await page.keyboard.press('ControlOrMeta+Enter');
  await queue.getByText('Edited.').waitFor();
  await prompt.fill('Not sent');
  await page.getByRole('log').focus();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Stop the agent?' });
  await question.getByText('demo:stall').waitFor();
  await question.getByText('The queued prompt waits until you resume the queue.').waitFor();
  await screenshot(page, 'stop-question');
  await hasFocus(question.getByRole('button', { name: 'Keep running' }));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Stop requested by you').last().waitFor();
  await page.getByRole('button', { name: 'Resume queue' }).click();
  await page.getByRole('log').getByText('Edited.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  expect(await prompt.inputValue()).toBe('Not sent');
});

test('a second click on the cross of a queued prompt is not for the next one', async () => {
  const { client } = served();
  const path = await newSession(served());
  const session_id = path.replace('/sessions/', '');
  for (const text of ['demo:stall', 'demo:stall 2', 'demo:stall 3', 'demo:stall 4']) {
    await client.sessions.executeTask(session_id, { prompt: text });
  }
  const page = await openPage(served(), { path });
  const rows = page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  const isNextPaused = page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const [, next, last] = document.querySelectorAll('[aria-label="Queued prompts"] > li');
    const look = () => {
      if (last?.isConnected) return;
      if (next?.querySelector('button[aria-disabled]')) resolve(true);
      setTimeout(() => resolve(false), 20_000);
    };
    const changes = { subtree: true, childList: true, attributes: true };
    new MutationObserver(look).observe(document.body, changes);
    return promise;
  });
  await rows.last().getByRole('button', { name: 'Cancel prompt' }).click();
  expect(await isNextPaused).toBe(true);
  await hasFocus(rows.first().getByRole('button', { name: 'Edit prompt' }));
  const { data } = await client.tasks.find({ session_id, status: 'CANCELLED' });
  expect(data.map(({ full_prompt }) => full_prompt)).toEqual(['demo:stall 4']);
  await rows.first().getByRole('button', { name: 'Cancel prompt' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  const home = page.getByRole('region', { name: 'Prompt and queue' });
  await rows.getByRole('button', { name: 'Cancel prompt' }).click();
  await hasFocus(home);
  await prompt.fill('Not yet');
  await stop.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await hasFocus(home);
  // Pressed once more, it sends nothing that is only begun.
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send' }).click({ trial: true });
  expect(await prompt.inputValue()).toBe('Not yet');
});

test('Stop pauses the queue until it is resumed or cleared, and offers a retry', async () => {
  const { client } = served();
  const path = await newSession(served());
  const session_id = path.replace('/sessions/', '');
  for (const text of ['demo:stall', 'demo:stall 2', 'demo:stall 3', 'demo:stall 4']) {
    await client.sessions.executeTask(session_id, { prompt: text });
  }
  const page = await openPage(served(), { path });
  const rows = page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await stop.click();
  const resume = page.getByRole('button', { name: 'Resume queue' });
  await resume.waitFor();
  await stop.waitFor({ state: 'detached' });
  await expect.poll(() => rows.count()).toBe(3);
  await page.locator('main header').first().getByText('Queue paused').waitFor();
  await page.getByRole('button', { name: 'Queue', exact: true }).waitFor();
  await expect.poll(() => page.getByText('demo:stall 2', { exact: true }).count()).toBe(1);
  expect(await seriousBarriers(page)).toEqual([]);
  await screenshot(page, 'queue-paused');
  await resume.click();
  await stop.waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  await stop.click();
  await page.getByRole('button', { name: 'Clear queue' }).click();
  await expect.poll(() => rows.count()).toBe(0);
  await resume.waitFor({ state: 'detached' });
  const statuses = async () =>
    (await client.tasks.find({ session_id })).data.map(({ status }) => status);
  await expect.poll(statuses).toEqual(Array(4).fill('CANCELLED'));
  await screenshot(page, 'stopped-retry');
  await page.getByRole('log').getByRole('button', { name: 'Retry' }).first().click();
  await page.waitForURL((url) => !url.pathname.endsWith(path));
  await page.getByText('I am going to be silent now.').waitFor();
});

test('files are found behind an @, and attached ones go along', async () => {
  for (const name of ['readme.md', 'my notes.md']) writeFileSync(join(served().work, name), 'Hi');
  const path = await newSession(served());
  const page = await openPage(served(), { path });
  const prompt = page.getByLabel('Prompt', { exact: true }).last();
  await prompt.pressSequentially('demo:script [{"say":"Seen."}] @read');
  await page.getByRole('option', { name: 'readme.md' }).waitFor();
  await page.keyboard.press('Enter');
  await prompt.pressSequentially('@my');
  await page.getByRole('option', { name: 'my notes.md' }).waitFor();
  await page.keyboard.press('Enter');
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await chooseFilm(page);
  await page.getByText('exceeds the 20 MB attachment limit').waitFor();
  await page.getByRole('listitem').getByText('notes.txt').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Seen.', { exact: true }).waitFor();
  await page.getByRole('article', { name: 'Prompt' }).getByText('notes.txt').waitFor();
  const session_id = path.replace('/sessions/', '');
  const { data } = await served().client.tasks.find({ session_id });
  const full_prompt = 'demo:script [{"say":"Seen."}] @readme.md @"my notes.md" ';
  expect(data).toMatchObject([{ full_prompt, attachments: [expect.any(String)] }]);
  // A fork takes along what the prompt was made of.
  await page.getByRole('article', { name: 'Prompt' }).hover();
  await page.getByRole('button', { name: 'Fork before this prompt' }).click();
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await screenshot(page, 'fork-with-file');
});

test('a command is one line with its name, and the active one shows its whole description', async () => {
  const about = `Configures the harness. ${'It explains itself at length. '.repeat(20)}The end.`;
  const commands = ['update-config', 'a-plugin:with-a-rather-long-name', 'review'].map((name) => ({
    ...{ name, description: about },
  }));
  const page = await openPage(served(), { path: await newSession(served()) });
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const daemon = socket.connectToServer();
    daemon.onMessage((message) => {
      const known = JSON.stringify(commands).slice(1, -1);
      socket.send(String(message).replaceAll('"commands":[]', `"commands":[${known}]`));
    });
  });
  await page.reload();
  await page.getByLabel('Prompt', { exact: true }).last().pressSequentially('/');
  const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => options.count()).toBe(3);
    const heights = await options.evaluateAll((all) => all.map((each) => each.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(40);
    for (const { name } of commands) await options.getByText(`/${name}`, { exact: true }).waitFor();
    await page.locator('[aria-hidden]').getByText('The end.').waitFor();
    await page.keyboard.press('ArrowDown');
    await screenshot(page, `commands-${width}`);
    expect(await seriousBarriers(page)).toEqual([]);
  }
});

test('a file chosen before the list has caught up replaces the whole word', async () => {
  writeFileSync(join(served().work, 'readme.md'), 'Hi');
  const page = await openPage(served(), { path: await newSession(served()) });
  let isSilent = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const daemon = socket.connectToServer();
    daemon.onMessage((message) => !isSilent && socket.send(message));
  });
  await page.reload();
  const prompt = page.getByLabel('Prompt', { exact: true }).getByLabel('Prompt');
  await prompt.pressSequentially('@re');
  await page.getByRole('option', { name: 'readme.md' }).waitFor();
  isSilent = true;
  await prompt.pressSequentially('ad');
  await prompt.press('Enter');
  expect(await prompt.inputValue()).toBe('@readme.md ');
});

test('a draft is kept when it cannot be sent, and the page continues when the daemon is back', async () => {
  const page = await openPage(served(), { path: await newSession(served()) });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill('demo:script [{"say":"Before."}]');
  await prompt.press('Enter');
  await page.getByText('Before.', { exact: true }).waitFor();
  // While an agent works, what is sent steers it.
  await page.getByRole('main').getByText('Done', { exact: true }).nth(1).waitFor();
  await served().kill();
  await page.getByText('Disconnected from the daemon.').waitFor();
  await prompt.fill('demo:script [{"say":"After."}]');
  await page.getByText('Before.', { exact: true }).waitFor();
  await served().restart();
  await page.getByText('Disconnected from the daemon.').waitFor({ state: 'detached' });
  await prompt.press('Enter');
  await page.getByText('After.', { exact: true }).waitFor();
  await page.getByText('Before.', { exact: true }).waitFor();
});

test('retries an edited prompt in a fork', async () => {
  const path = await newSession(served());
  const page = await openPage(served(), { path });
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill('demo:script [{"say":"One way."}]');
  await prompt.press('Enter');
  await page.getByText('One way.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Prompt actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit and retry' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('demo:script [{"say":"Another way."}]');
  await page.getByRole('dialog').getByRole('button', { name: 'Retry in a fork' }).click();
  await page.getByText('Another way.', { exact: true }).waitFor();
  expect(page.url()).not.toContain(path);

  // A task that succeeded can be retried too, or forked from before its prompt.
  const copy = page.url();
  const given = page.getByRole('article', { name: 'Prompt' });
  const retry = given.getByRole('button', { name: 'Retry in a fork' });
  const isShown = () => retry.evaluate((each) => each.checkVisibility({ opacityProperty: true }));
  await page.getByRole('textbox', { name: 'Prompt' }).hover();
  await expect.poll(isShown).toBe(false);
  await given.hover();
  await expect.poll(isShown).toBe(true);
  await retry.click();
  await page.waitForURL((url) => url.href !== copy);
  await page.getByText('Another way.', { exact: true }).waitFor();
  await given.getByRole('button', { name: 'Fork before this prompt' }).click();
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  const again = page.getByRole('textbox', { name: 'Prompt' });
  await expect.poll(() => again.inputValue()).toBe('demo:script [{"say":"Another way."}]');
});

test('an edited prompt whose turn came meanwhile is not lost', async () => {
  const { client } = served();
  const path = await newSession(served());
  const id = path.replace('/sessions/', '');
  await client.sessions.executeTask(id, { prompt: 'demo:stall' });
  const { task_id: taskId } = await client.sessions.executeTask(id, { prompt: 'Later' });
  const page = await openPage(served(), { path });
  await page.getByRole('button', { name: 'Edit prompt' }).click();
  const edited = page.getByRole('dialog').getByRole('textbox');
  await edited.fill('Much better');
  await client.sessions.stopTask(id, { task_id: taskId });
  await page.getByRole('list', { name: 'Queued prompts' }).waitFor({ state: 'detached' });
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await page.getByRole('alert').waitFor();
  expect(await edited.inputValue()).toBe('Much better');
  expect(await save.evaluate((button) => button === document.activeElement)).toBe(true);
});

/** Chooses a file that is too large, made in the page: to send it there would take seconds. */
async function chooseFilm(page: Page): Promise<void> {
  await page.locator('input[type=file]').evaluate((picker: HTMLInputElement) => {
    const chosen = new DataTransfer();
    chosen.items.add(new File([new Uint8Array(20 * 1024 ** 2 + 1)], 'film.mp4'));
    picker.files = chosen.files;
    picker.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

/** Loads a page anew and lets it miss the first answer to a method. */
async function loseFirstAnswer(page: Page, method: string): Promise<void> {
  let isLost = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const daemon = socket.connectToServer();
    let id: string | undefined;
    socket.onMessage((message) => {
      if (String(message).includes(method)) id = /^42(\d+)/.exec(String(message))?.[1];
      daemon.send(message);
    });
    daemon.onMessage((message) => {
      const isAnswer = id !== undefined && String(message).startsWith(`43${id}[`);
      if (isLost || !isAnswer) return socket.send(message);
      isLost = true;
      socket.send(`43${id}[{"message":"The answer got lost."}]`);
    });
  });
  await page.reload();
}

async function newSession({ client, work }: ServedPage): Promise<string> {
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  return `/sessions/${session_id}`;
}

test('a prompt box that loads late does not close an open menu', async () => {
  const page = await openPage(served(), { path: '/board' });
  const { promise: opened, resolve: letIn } = Promise.withResolvers<void>();
  await page.route(/\/assets\/start-/, (route) => opened.then(() => route.continue()));
  await page.getByRole('link', { name: 'New task' }).first().click();
  await page.getByRole('button', { name: 'owner' }).click();
  const way = page.getByRole('menuitem', { name: 'Sign out' });
  await way.waitFor();
  letIn();
  const prompt = page.getByLabel('Prompt', { exact: true }).getByRole('textbox');
  await prompt.waitFor({ state: 'attached' });
  expect(await prompt.evaluate((field) => field === document.activeElement)).toBe(false);
  await way.waitFor();
});
