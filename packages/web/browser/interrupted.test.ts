import { expect, test, vi } from 'vitest';
import { ask, script } from './testing/ask.ts';
import { seriousBarriers } from './testing/axe.ts';
import { openPage } from './testing/page.ts';
import { screenshot } from './testing/screenshot.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('a task whose agent died while it needed input is shown as paused and resumes on the answer', async () => {
  const asking = script({ shell: 'echo asked' }, { say: 'Went on.' });
  const { sessionId, taskId } = await ask(served(), asking, { title: 'Paused one' });
  const page = await openPage(served(), { path: `/sessions/${sessionId}` });
  const allow = page.getByRole('button', { name: /^Allow once/ });
  await allow.waitFor();
  const log = page.getByRole('main');
  expect(await log.getByText('agent paused').count()).toBe(0);
  await killExecutor(served(), taskId);
  await log.getByText('Needs input · agent paused, resumes on answer').waitFor();
  // Nothing receives a message now, so the prompt is queued.
  await page.getByRole('button', { name: 'Queue', exact: true }).waitFor();
  await screenshot(page, 'paused-session');
  expect(await seriousBarriers(page)).toEqual([]);

  const board = await openPage(served(), { path: '/board' });
  const card = board.getByRole('region', { name: 'Needs input' }).getByRole('article');
  await card.getByText('Agent paused, resumes on answer').waitFor();
  await screenshot(board, 'paused-board');
  expect(await seriousBarriers(board)).toEqual([]);

  await allow.click();
  await page.getByRole('log').getByText('Went on.', { exact: true }).waitFor();
});

test('an interrupted task is not called failed and is resumed in its session with one click', async () => {
  const first = await ask(served(), 'demo:stall', { title: 'Interrupted one' });
  const second = await ask(served(), 'demo:stall', { title: 'Interrupted two' });
  const page = await openPage(served(), { path: `/sessions/${first.sessionId}` });
  // Without a word of its agent, a task would be queued again.
  for (const { sessionId } of [first, second]) await untilSilent(served(), sessionId);
  await killExecutor(served(), first.taskId);
  await killExecutor(served(), second.taskId);
  const log = page.getByRole('log');
  await log.getByText('Interrupted', { exact: true }).waitFor();
  await page.locator('header').getByText('Interrupted', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Interrupted Interrupted one' }).waitFor();
  expect(await page.getByText('Failed', { exact: true }).count()).toBe(0);
  await log.getByRole('button', { name: 'Retry', exact: true }).waitFor();
  await screenshot(page, 'interrupted-session');
  expect(await seriousBarriers(page)).toEqual([]);

  const board = await openPage(served(), { path: '/board' });
  const cards = board.getByRole('region', { name: 'Failed or stopped' }).getByRole('article');
  const resumes = cards.filter({ hasText: 'Interrupted' }).getByRole('button', { name: 'Resume' });
  await expect.poll(() => resumes.count()).toBe(2);
  await screenshot(board, 'interrupted-board');
  expect(await seriousBarriers(board)).toEqual([]);
  await resumes.first().click();
  await untilResumed(served(), second.sessionId);
  // A second click does not send a second prompt.
  await resumes.first().click();
  await board.getByText('This session has already continued.').waitFor();
  expect(await promptsOf(served(), second.sessionId)).toHaveLength(2);

  await log.getByRole('button', { name: 'Resume' }).click();
  await untilResumed(served(), first.sessionId);
  await log.getByText('Continue where you stopped.').waitFor();
  // The turn that was interrupted is no longer the last one.
  await expect.poll(() => log.getByRole('button', { name: 'Resume' }).count()).toBe(0);
});

/** Ends the executor of a task as a reboot does: without a word. */
async function killExecutor({ client }: ServedPage, taskId: string): Promise<void> {
  const pid = await vi.waitFor(async () => {
    const executor = (await client.executors.find()).find(({ task_id }) => task_id === taskId);
    if (!executor?.pid) throw new Error('The task has no executor.');
    return executor.pid;
  });
  process.kill(pid, 'SIGKILL');
}

async function untilSilent({ client }: ServedPage, session_id: string): Promise<void> {
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id });
    expect(JSON.stringify(data)).toContain('I am going to be silent now.');
  });
}

async function untilResumed(page: ServedPage, sessionId: string): Promise<void> {
  await vi.waitFor(async () =>
    expect(await promptsOf(page, sessionId)).toContain('Continue where you stopped.'),
  );
}

async function promptsOf({ client }: ServedPage, session_id: string): Promise<string[]> {
  return (await client.tasks.find({ session_id })).data.map(({ full_prompt }) => full_prompt);
}
