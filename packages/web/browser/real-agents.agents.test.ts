import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { shareModel, withRealAgents } from './testing/real-agents.ts';
import { screenshot } from './testing/screenshot.ts';

const model = shareModel();

test('Claude Code runs a task, its request is answered, and Codex continues it', async () => {
  model().script('page-first', [
    { tools: [{ shell: 'echo green > door.txt' }] },
    { text: 'The door is **green** now.' },
  ]);
  model().script('page-second', [{ text: 'I know which door.' }]);
  const served = await withRealAgents(model(), ['claude', 'codex']);
  const page = await openPage(served);
  const agent = page.getByRole('combobox', { name: 'Agent' });
  await agent.selectOption({ label: 'Claude Code' });
  await page.getByRole('combobox', { name: 'Folder' }).fill(served.work);
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('combobox', { name: 'Model' }).fill('claude-haiku-4-5');
  await page.keyboard.press('Escape');
  // The options have a prompt too, and may be there until they are closed.
  await page.getByRole('textbox', { name: 'System prompt' }).waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Prompt' }).fill('[[page-first]] Paint the door.');
  await page.getByRole('button', { name: 'Start' }).click();

  const permission = page.getByRole('region', { name: 'Permission request' });
  await permission.getByText('echo green > door.txt').waitFor();
  await expect.poll(() => permission.getAttribute('data-ready')).toBe('true');
  await page.keyboard.press('y');
  const log = page.getByRole('log');
  await log.getByText('The door is green now.').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  expect(readFileSync(join(served.work, 'door.txt'), 'utf8')).toBe('green\n');
  expect(JSON.stringify(model().requests.at(-1)?.body)).toContain('claude-haiku-4-5');
  await screenshot(page, 'real-claude');

  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill('/comp');
  await page.getByRole('option', { name: /compact/ }).waitFor();
  await agent.selectOption({ label: 'Codex' });
  await prompt.fill('[[page-second]] And now?');
  await page.getByRole('button', { name: 'Send' }).click();
  await log.getByText('I know which door.').waitFor();
  await log.getByText(/Agent: Codex/).waitFor();
  expect(JSON.stringify(model().requests.at(-1)?.body)).toContain('The door is **green** now.');
  await screenshot(page, 'real-codex');
});

test.each([
  ['gemini', 'Gemini CLI'],
  ['opencode', 'OpenCode'],
  ['droid', 'Droid'],
] as const)('%s runs a task, and its request is answered', async (name, label) => {
  model().script(`page-${name}`, [
    { tools: [{ write: { path: 'door.txt', content: 'green\n' } }] },
    { text: 'The door is **green** now.' },
  ]);
  const served = await withRealAgents(model(), [name]);
  const page = await openPage(served);
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label });
  await page.getByRole('combobox', { name: 'Folder' }).fill(served.work);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(`[[page-${name}]] Paint the door.`);
  await page.getByRole('button', { name: 'Start' }).click();

  const permission = page.getByRole('region', { name: 'Permission request' });
  await permission.getByText('door.txt').first().waitFor();
  await screenshot(page, `real-${name}-request`);
  await expect.poll(() => permission.getAttribute('data-ready')).toBe('true');
  await page.keyboard.press('y');
  await page.getByRole('log').getByText('The door is green now.').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  expect(readFileSync(join(served.work, 'door.txt'), 'utf8')).toBe('green\n');
  await screenshot(page, `real-${name}`);
});
