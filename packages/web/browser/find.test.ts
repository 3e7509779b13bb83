import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { shareServedPage } from './testing/served-page.ts';

/** It runs no task itself. */
const served = shareServedPage({ slots: 0 });

test('search finds every session, also an old one', async () => {
  const begin = (title: string) =>
    served().client.sessions.create({ cwd: served().work, backend: 'demo', title });
  const { session_id } = await begin('Session about the green door');
  for (let index = 1; index <= 25; index += 1) await begin(`Session ${index}`);
  const page = await openPage(served(), { path: '/board' });
  await page.getByRole('button', { name: /^Search…/ }).click();
  await page.getByRole('combobox', { name: 'Search' }).fill('door session');
  await page.getByRole('option', { name: /about the green door/ }).click();
  await page.waitForURL(`**/sessions/${session_id}`);
});

test('the turns of a session are all there, however many they are', async () => {
  const { session_id } = await served().client.sessions.create({
    cwd: served().work,
    backend: 'demo',
  });
  for (let turn = 1; turn <= 105; turn += 1) {
    await served().client.sessions.executeTask(session_id, { prompt: `Prompt ${turn}` });
  }
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  await page.getByRole('button', { name: 'Turns' }).click();
  await expect.poll(() => page.getByRole('menuitem').count()).toBe(105);
  await page.getByRole('menu').getByText('Prompt 1', { exact: true }).waitFor();
});

test('a folder that only another machine has is left to an executor there', async () => {
  const page = await openPage(served());
  await page.getByRole('combobox', { name: 'Folder' }).fill('/nowhere/at/all');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('For another machine');
  await page.getByRole('button', { name: 'It’s on another machine' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(/\/sessions\//);
  const session_id = page.url().split('/').at(-1) ?? '';
  const { data } = await served().client.tasks.find({ session_id });
  expect(data).toMatchObject([{ status: 'QUEUED', full_prompt: 'For another machine' }]);
});
