import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';

const MYNAH = resolve(import.meta.dirname, '../../../examples/own-agent/mynah.mjs');
const mynah = {
  label: 'Mynah',
  command: [process.execPath, MYNAH],
  dialect: 'claude-stream-json',
  resume: '--resume {session}',
};
const served = shareServedPage({ env: { BATON_AGENTS: JSON.stringify({ mynah }) } });

test('an agent of the configuration runs, is followed up and is stopped on the page', async () => {
  const page = await openPage(served());
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'Mynah' });
  await page.getByRole('combobox', { name: 'Folder' }).fill(served().work);
  // It cannot ask, and that it may do everything is for the user to say.
  const permissions = page.getByRole('combobox', { name: 'Permissions' });
  expect(await permissions.inputValue()).toBe('ask');
  await permissions.getByText('(not supported)').waitFor({ state: 'attached' });
  await screenshot(page, 'own-agent-start');
  await permissions.selectOption('allow-all');
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill('Hello');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const log = page.getByRole('log');
  await log.getByText('You said: Hello', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Send' }).waitFor();
  await prompt.fill('Again');
  await page.getByRole('button', { name: 'Send' }).click();
  await log.getByText('You said: Hello, then: Again', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Send' }).waitFor();
  await prompt.fill('run: sleep 600');
  await page.getByRole('button', { name: 'Send' }).click();
  await log.getByText('sleep 600').last().waitFor();
  await page.getByRole('button', { name: 'Stop' }).first().click();
  await log
    .getByText(/Stopped/)
    .last()
    .waitFor();
  await screenshot(page, 'own-agent');
});

test('an agent of the configuration is listed with what it can and cannot do', async () => {
  const page = await openPage(served(), { path: '/agents' });
  const item = page.getByRole('listitem').filter({ hasText: 'Mynah' });
  await item.getByText('Ready').waitFor();
  const { capabilities } = await served().client.backends.get('mynah');
  expect(capabilities).toMatchObject({ permissions: 'none', features: { resume: true } });
});
