import type { PendingRecord } from '@baton/client';
import type { RequestAnswer } from '@baton/protocol';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answerElsewhere, ask, script } from './testing/ask.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { servePage } from './testing/served-page.ts';

test('what agents of all sessions wait for is in one place, counted everywhere, and answered there', async () => {
  const served = await servePage();
  const page = await openPage(served, { path: '/inbox' });
  await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
  expect(await page.title()).toBe('Inbox · Baton');

  const first = await ask(served, script({ shell: 'echo one' }), { title: 'First' });
  await ask(served, script({ shell: 'echo two' }, { say: 'Two is done' }), { title: 'Second' });
  const third = await ask(served, 'demo:question', { title: 'Third' });
  const cards = page.getByRole('main').getByRole('article');
  await expect.poll(() => cards.count()).toBe(3);
  await expectCount(page, 3);

  // By mouse, with a reason.
  const second = cards.filter({ hasText: 'Second' });
  await second.getByRole('button', { name: /^Deny/ }).click();
  await second.getByRole('textbox').fill('Not now');
  await second.getByRole('textbox').press('Enter');
  await second.waitFor({ state: 'detached' });
  await expectCount(page, 2);

  // By keyboard, what waits longest.
  await page.getByRole('heading', { name: 'Inbox' }).click();
  await cards.filter({ hasText: 'First' }).getByText('y', { exact: true }).waitFor();
  await page.keyboard.press('y');
  await cards.filter({ hasText: 'First' }).waitFor({ state: 'detached' });
  await expectCount(page, 1);
  const answered = { kind: 'permission', decision: 'allow', scope: 'once' };
  await expect
    .poll(async () => {
      const found = await served.client.transcript.find({ session_id: first.sessionId });
      return found.entries;
    })
    .toContainEqual(expect.objectContaining(answered));

  // Somewhere else.
  await answerElsewhere(served, third.sessionId, teaFor);
  await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
  await expectCount(page, 0);

  // The second click of a double click does not answer the request that moves there.
  for (const title of ['One', 'Two', 'Three']) {
    await ask(served, script({ shell: `echo ${title}` }), { title });
  }
  await expect.poll(() => cards.count()).toBe(3);
  const allow = cards.nth(1).getByRole('button', { name: /^Allow once/ });
  await allow.dblclick({ delay: 50 });
  await expectCount(page, 2);
  await expect.poll(() => cards.count()).toBe(2);
  // What came to the pointer takes no click for a moment; the pointer comes to it now.
  await page.getByRole('heading', { name: 'Inbox' }).hover();
  await allow.click();
  await expectCount(page, 1);
  await hasFocus(page.getByRole('region', { name: 'Permission request' }));
});

test('a question is answered in the inbox, and its session is one step away', async () => {
  const served = await servePage();
  await ask(served, 'demo:question', { title: 'Drinks' });
  const page = await openPage(served, { path: '/board' });
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: 'Inbox' })
    .click();
  await page.getByLabel('Coffee').check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
  await ask(served, script({ shell: 'echo hi' }), { title: 'Greeting' });
  await page.getByRole('main').getByRole('link', { name: 'Greeting' }).click();
  await page.getByRole('button', { name: /^Allow once/ }).waitFor();
});

async function expectCount(page: Page, count: number): Promise<void> {
  const way = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Inbox/ });
  const words = count === 0 ? 'Inbox' : `Inbox${count} need your input`;
  await expect.poll(() => way.textContent()).toBe(words);
  await expect.poll(() => page.title()).toBe(`${count === 0 ? '' : `(${count}) `}Inbox · Baton`);
}

function teaFor({ kind, request }: PendingRecord): RequestAnswer {
  const questions = kind === 'question' ? request.questions : [];
  return { answers: Object.fromEntries(questions.map(({ id }) => [id, ['Tea']])) };
}
