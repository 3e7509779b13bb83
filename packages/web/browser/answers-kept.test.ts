import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { handAgent } from './testing/hand-agent.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('drafts of answers and prompts survive a change of view and a reload', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  await say(asks('r1', { type: 'command', command: 'echo one' }), {
    type: 'question.requested',
    requestId: 'q1',
    questions: [
      { id: 'q', question: 'What colour?', options: [], multiple: false, freeText: true },
    ],
  });
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  await page.getByRole('button', { name: /Deny/ }).click();
  await page.getByLabel('Reason (sent to the agent)').fill('Because');
  await page.getByPlaceholder('Other answer').fill('Blue');
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('No changes yet').waitFor();
  await page.getByRole('link', { name: 'Transcript' }).click();
  await page.getByText('notes.txt').waitFor();
  expect(await page.getByLabel('Reason (sent to the agent)').inputValue()).toBe('Because');
  expect(await page.getByPlaceholder('Other answer').inputValue()).toBe('Blue');
  // Also on a new page; what is said of a request that was answered is forgotten.
  const kept = () => page.evaluate(() => Object.values(sessionStorage).join(' '));
  await expect.poll(kept).toContain('Blue');
  await page.reload();
  const reason = page.getByLabel('Reason (sent to the agent)');
  await expect.poll(() => reason.inputValue()).toBe('Because');
  expect(await page.getByPlaceholder('Other answer').inputValue()).toBe('Blue');
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await expect.poll(kept).not.toContain('Because');
  expect(await kept()).toContain('Blue');
  // A page of another time may have kept something else.
  await say(asks('r2', { type: 'command', command: 'echo two' }));
  await page.getByRole('button', { name: /Deny…/ }).click();
  await page.addInitScript(() => {
    const odd = JSON.stringify({ form: 'odd', chosen: { q: 5 } });
    const drafts = Object.keys(sessionStorage).filter((key) => key.includes('answer '));
    for (const key of drafts) sessionStorage.setItem(key, odd);
  });
  await page.reload();
  await page.getByRole('button', { name: /Allow once/ }).waitFor();
  expect(await page.getByPlaceholder('Other answer').inputValue()).toBe('');
});

test('a key scrolls to a hidden card instead of answering it', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  const text = Array.from({ length: 30 }, (_, line) => `Line ${line}`).join('\n\n');
  await say(asks('r1', { type: 'command', command: 'echo one' }), {
    ...{ type: 'message.completed', messageId: 'm', kind: 'text', text },
  });
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  await page.clock.install();
  await page.reload();
  await page.getByText('Line 29').waitFor();
  await page.getByRole('log').focus();
  const card = page.getByRole('region', { name: 'Permission request' });
  await keysAnswer(page);
  expect(await isSeen(page)).toBe(false);
  await page.keyboard.press('y');
  await expect.poll(() => isSeen(page)).toBe(true);
  expect(await card.evaluate((each) => each === document.activeElement)).toBe(true);
  expect((await served.client.permissions.find({ status: 'pending' })).total).toBe(1);
  await page.clock.fastForward(1000);
  await page.keyboard.press('y');
  await page.getByText(/Allowed once: \$ echo one, by you/).waitFor();
});

test('says that a longer scope allows the whole MCP tool', async () => {
  const served = await servePage({ slots: 0 });
  const { sessionId, say } = await handAgent(served);
  await say(asks('r1', { type: 'mcp', server: 'files', tool: 'remove' }));
  const page = await openPage(served, { path: `/sessions/${sessionId}` });
  await page.getByRole('button', { name: /Allow for this session/ }).click();
  await page.getByText('a tool with any arguments, without asking again').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: /Always/ }).click();
  await page.getByText('Any use of a tool, with any arguments').waitFor();
});

function asks(requestId: string, action: object) {
  const request = { requestId, tool: 'a tool', action, scopes: ['once', 'session', 'always'] };
  return { type: 'permission.requested', ...request };
}

async function keysAnswer(page: Page): Promise<void> {
  await page.locator('[data-ready]').waitFor({ state: 'attached' });
}

function isSeen(page: Page): Promise<boolean> {
  return page
    .getByRole('button', { name: /Allow once/ })
    .evaluate((button) => button.getBoundingClientRect().top > 100);
}
