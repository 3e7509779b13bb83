import { BatonClient } from '@baton/client';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { ask, script } from './testing/ask.ts';
import { drawnWords } from './testing/drawn-words.ts';
import { hasFocus } from './testing/has-focus.ts';
import { openPage } from './testing/page.ts';
import { type ServedPage, shareServedPage } from './testing/served-page.ts';

const served = shareServedPage();

test('an owner adds a user, whose link is shown once and signs in', async () => {
  const page = await openPage(served(), { path: '/settings/users' });
  await page.getByRole('button', { name: 'Add a user' }).click();
  await page.getByLabel('Name').fill('owner');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('A user named "owner" already exists.').waitFor();
  await page.getByLabel('Name').fill('Noor');
  await page.keyboard.press('Enter');
  const link = await page.getByRole('dialog').locator('code').textContent();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const guest = await openPage(served(), { stranger: true });
  await guest.goto(link ?? '');
  await guest.getByRole('button', { name: /^Noor/ }).waitFor();
  await page.getByLabel('Role of Noor').selectOption('viewer');
  await expect.poll(() => roleOf(served(), 'Noor')).toBe('viewer');
});

test('a token is made with keys alone, shown once, works, and is of no use when it is revoked', async () => {
  const page = await openPage(served(), { path: '/settings/tokens' });
  const focus = page.locator(':focus');
  const opener = page.getByRole('button', { name: 'New token' });
  await opener.press('Enter');
  await page.getByLabel('Name').and(focus).waitFor();
  await page.keyboard.press('Escape');
  await opener.and(focus).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name').and(focus).waitFor();
  await page.keyboard.type('Nightly');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy token' }).and(focus).waitFor();
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const script = new BatonClient({ url: served().url, token: secret });
  onTestFinished(() => script.close());
  expect(await script.users.me()).toMatchObject({ name: 'owner' });
  await page.getByRole('button', { name: 'Revoke Nightly' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('revoked').waitFor();
  await hasFocus(page.getByRole('heading', { name: 'Tokens' }));
  expect(await page.getByText(secret).count()).toBe(0);
});

test('what a browser lacks at an address without encryption is said', async () => {
  const { client, work, url } = served();
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  await client.sessions.executeTask(session_id, { prompt: 'demo:script [{"say":"Hi."}]' });
  const page = await openPage(served());
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'Notification');
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  });
  await page.goto(`${url}/app/settings/account`);
  await page.getByText('Notifications require HTTPS.').waitFor();
  expect(await page.getByRole('checkbox', { name: 'Notifications' }).isDisabled()).toBe(true);
  await page.goto(`${url}/app/sessions/${session_id}`);
  await page.getByRole('button', { name: 'Prompt actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
  await page.getByText('Couldn’t access the clipboard.').waitFor();
});

test('a setting is changed, marked as changed, and set back', async () => {
  const page = await openPage(served(), { path: '/settings' });
  const days = async () => (await served().client.settings.get('retention.raw_output_days')).value;
  await page.getByLabel('Keep raw output, in days').fill('0');
  await page.keyboard.press('Enter');
  await page.getByText('Must be greater than 0.').waitFor();
  await page.getByLabel('Keep raw output, in days').fill('7');
  await page.keyboard.press('Enter');
  await page.getByText('changed', { exact: true }).waitFor();
  expect(await days()).toBe(7);
  await page.getByRole('button', { name: 'Reset to default' }).click();
  await page.getByText('changed', { exact: true }).waitFor({ state: 'detached' });
  expect(await days()).toBe(14);
  const editor = page.locator('form').filter({ has: page.getByLabel('Keep agents warm') });
  await editor.getByLabel('Keep agents warm').selectOption('For a number of seconds');
  const seconds = page.getByLabel('Keep agents warm, in seconds');
  await seconds.fill('');
  await seconds.pressSequentially('0.5');
  expect(await seconds.inputValue()).toBe('0.5');
  await seconds.fill('0');
  await page.keyboard.press('Enter');
  await page.getByText('Must be greater than 0.').waitFor();
  const save = async (value: string) => {
    await seconds.fill(value);
    const notice = noticeOf(page, `warm: ${value} seconds.`);
    await editor.getByRole('button', { name: 'Save' }).click();
    return notice;
  };
  const views = await page.getByRole('navigation', { name: 'Views' }).boundingBox();
  const { x } = await save('1.5');
  expect(x, 'over what leads to other views').toBeLessThan(views?.width ?? 0);
  await page.setViewportSize({ width: 390, height: 800 });
  expect((await save('2.5')).height, 'as high as its words').toBeLessThan(100);
  expect((await served().client.settings.get('executors.keep_open_ms')).value).toBe(2500);
});

test('the own password is changed, and signs in', async () => {
  const page = await openPage(served(), { path: '/settings/account' });
  await page.getByLabel('New password', { exact: true }).fill('correct horse battery');
  await page.getByLabel('Confirm new password').fill('correct horse batter');
  await page.keyboard.press('Enter');
  await page.getByText('Passwords don’t match.').waitFor();
  await page.getByLabel('Confirm new password').fill('correct horse battery');
  await page.getByText('Passwords don’t match.').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByLabel('Current password').waitFor();
  const login = await served().client.authentication.withPassword('owner', 'correct horse battery');
  expect(login.user.has_password).toBe(true);
});

test('a rule for a folder is added and removed', async () => {
  const page = await openPage(served(), { path: '/settings/rules' });
  await page.getByRole('button', { name: 'Add folder rule' }).click();
  await page.getByLabel('Folder', { exact: true }).fill(served().work);
  await page.getByLabel('Tool').fill('shell');
  await page.getByLabel('Pattern').fill('npm test*');
  await page.keyboard.press('Enter');
  await page.getByText('shell npm test*').waitFor();
  await page.getByRole('button', { name: 'Remove the rule for shell' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  await hasFocus(page.getByRole('heading', { name: 'Rules', exact: true }));
  const made = await served().client.rules.create({
    ...{ folder: served().work, tool: 'sh\u200Bell', decision: 'allow' },
    pattern: 'date  # now\u202E\necho א 1 ב',
  });
  await page.reload();
  const rule = page.getByRole('list', { name: 'Rules' }).locator('code');
  const words = 'sh⟨U+200B⟩ell date  # now⟨U+202E⟩ ⏎ echo א 1 ב';
  expect(await rule.innerText()).toBe(words);
  expect(await drawnWords(rule)).toBe(words.replaceAll(/\s+/g, ' '));
  await served().client.rules.remove(made.rule_id);
});

test('a session comes back from the archive', async () => {
  const { session_id } = await served().client.sessions.create({
    cwd: served().work,
    backend: 'demo',
    title: 'قديم',
  });
  await served().client.sessions.patch(session_id, { archived: true });
  const page = await openPage(served(), { path: '/settings/archive' });
  await page.getByRole('button', { name: 'Unarchive قديم' }).click();
  await page.getByRole('heading', { name: 'The archive is empty' }).waitFor();
  expect((await served().client.sessions.get(session_id)).archived).toBe(false);
});

test('a viewer gets no buttons that would be refused, and no pending requests', async () => {
  await ask(served(), script({ shell: 'echo one' }), { title: 'Asks' });
  const viewer = await tokenOf(served(), 'viewer');
  const page = await openPage({ ...served(), token: viewer }, { path: '/settings' });
  await page.getByText('Only owners can change these.').waitFor();
  // The sessions of others are at the side, and no way to give a task.
  const side = page.getByRole('navigation', { name: 'Views' });
  await side.getByRole('link', { name: 'Asks' }).waitFor();
  await side.getByRole('link', { name: 'Inbox 1 awaiting a response' }).waitFor();
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByText('Search or jump to…')
    .waitFor();
  expect(await page.getByText('New task').count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByText('Only owners can change this.').waitFor();
  expect(await page.getByRole('button', { name: 'Add a user' }).count()).toBe(0);
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Board' }).click();
  const waiting = page.getByRole('region', { name: 'Awaiting response' });
  await waiting.getByRole('article').getByRole('link').click();
  await page.getByText('Only members and owners can respond.').waitFor();
  await page.getByRole('main').getByText('Awaiting response').last().waitFor();
  expect(await page.getByText('for you').count()).toBe(0);
  const prompt = page.getByRole('article', { name: 'Prompt' });
  await prompt.getByText('owner', { exact: true }).waitFor();
  // Another role counts at once, also in a page that is open.
  const role = 'member' as const;
  const { client } = served();
  const { user_id } = (await client.users.find()).find(({ name }) => name === 'A viewer') ?? {};
  await client.users.patch(user_id ?? '', { role });
  await page.getByRole('button', { name: /Allow once/ }).click();
  await page.getByText(/Allowed once: \$ echo one, by you/).waitFor();
});

test('at the side are the sessions of a person, or those of everybody, as the browser remembers', async () => {
  const { client, work } = served();
  await client.sessions.create({ cwd: work, backend: 'demo', title: 'Of others' });
  await ask(served(), script({ say: 'Hi' }), { title: 'With a task' });
  const member = await tokenOf(served(), 'member');
  const page = await openPage({ ...served(), token: member }, { path: '/settings' });
  const side = page.getByRole('navigation', { name: 'Views' });
  await side.getByText('No sessions of yours').waitFor();
  await side.getByRole('button', { name: 'Show all' }).click();
  await side.getByRole('link', { name: 'Of others' }).waitFor();
  // Titles stand below each other, also of sessions that have no state.
  const leftOf = async (title: string) => (await side.getByText(title).boundingBox())?.x;
  expect(await leftOf('Of others')).toBe(await leftOf('With a task'));
  await page.reload();
  await side.getByRole('button', { name: 'Show mine' }).click();
  await side.getByRole('link', { name: 'Of others' }).waitFor({ state: 'detached' });
});

/** Returns the position of a notice; measured inside the page, because the notice disappears after a while. */
async function noticeOf(page: Page, words: string): Promise<{ x: number; height: number }> {
  const place = await page.waitForFunction((said) => {
    const notices = [...document.querySelectorAll('[data-tone=good]')];
    const { x, height } =
      notices.find((each) => each.textContent?.includes(said))?.getBoundingClientRect() ?? {};
    return x !== undefined && height !== undefined && { x, height };
  }, words);
  return place.jsonValue() as Promise<{ x: number; height: number }>;
}

async function roleOf({ client }: ServedPage, name: string): Promise<string | undefined> {
  return (await client.users.find()).find((user) => user.name === name)?.role;
}

async function tokenOf({ client, url }: ServedPage, role: 'viewer' | 'member'): Promise<string> {
  const { link_secret } = await client.users.create({ name: `A ${role}`, role });
  const stranger = new BatonClient({ url });
  onTestFinished(() => stranger.close());
  return (await stranger.authentication.withLink(link_secret)).accessToken;
}
