import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('every session is found by its words, also one that is long ago', async () => {
  const served = await servePage({ slots: 0 });
  const begin = (title: string) =>
    served.client.sessions.create({ cwd: served.work, backend: 'demo', title });
  const { session_id } = await begin('Session about the green door');
  for (let index = 1; index <= 25; index += 1) await begin(`Session ${index}`);
  const page = await openPage(served, { path: '/board' });
  await page.getByRole('button', { name: /Go to anything/ }).click();
  await page.getByRole('combobox', { name: 'Search' }).fill('door session');
  await page.getByRole('option', { name: /about the green door/ }).click();
  await page.waitForURL(`**/sessions/${session_id}`);
});

test('the turns of a session are all there, however many they are', async () => {
  const served = await servePage({ slots: 0 });
  const { session_id } = await served.client.sessions.create({ cwd: served.work, backend: 'demo' });
  for (let turn = 1; turn <= 105; turn += 1) {
    await served.client.sessions.executeTask(session_id, { prompt: `Prompt ${turn}` });
  }
  const page = await openPage(served, { path: `/sessions/${session_id}` });
  await page.getByRole('button', { name: 'Turns' }).click();
  await expect.poll(() => page.getByRole('menuitem').count()).toBe(105);
  await page.getByRole('menu').getByText('Prompt 1', { exact: true }).waitFor();
});
