import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { makeRepository } from './testing/repository.ts';
import { screenshot } from './testing/screenshot.ts';
import { shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage();

const repository = (name: string) => makeRepository(served().work, name);

/** Pictures of a view: light, dark, and on a phone. */
async function pictures(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 1440, height: 900 });
  await screenshot(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, `${name}-390`);
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize(size);
}

async function runIn(sessionId: string, steps: readonly object[]): Promise<void> {
  const { client } = served();
  const prompt = `demo:script ${JSON.stringify(steps)}`;
  const task = await client.sessions.executeTask(sessionId, {
    prompt,
    permission_mode: 'allow-all',
  });
  await (await client.join(task.task_id)).collect();
}

test('a change by a command is shown, attributed and undone, turn by turn', async () => {
  const { client } = served();
  const cwd = repository('shell-change');
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  await runIn(session_id, [{ shell: 'echo two >> a.txt; echo new > made-by-shell.txt' }]);
  const page = await openPage(served(), { path: `/sessions/${session_id}/changes` });
  await page.getByText('2 files, +2 −0 lines').waitFor();
  await page.locator('[data-kind=add]', { hasText: 'two' }).waitFor();
  expect(await page.getByText('by a command').count()).toBe(2);
  await screenshot(page, 'changes-true');
  writeFileSync(join(cwd, 'mine.txt'), 'by hand\n');
  await page.getByText('by someone else').waitFor();
  await page.getByLabel('Compare with').selectOption('turn');
  await page.getByText('2 files, +2 −0 lines').waitFor();
  await page.getByRole('button', { name: 'Undo this turn' }).click();
  await page.getByText('Restored 2 files.').waitFor();
  expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('by hand\n');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect.poll(() => readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

test('a session whose files cannot be compared says why, and shows what was reported', async () => {
  const { client, work } = served();
  const cwd = dirname(work);
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  await runIn(session_id, [{ shell: 'true' }]);
  const page = await openPage(served(), { path: `/sessions/${session_id}/changes` });
  await page.getByText('contains the data of Baton, so its files are not compared.').waitFor();
  await page.getByRole('heading', { name: 'No reported changes' }).waitFor();
  expect(await page.getByText('No changes yet').count()).toBe(0);
  await pictures(page, 'changes-not-compared');
});

test('a new task on a Git folder works in a worktree, and the header names its branch', async () => {
  const cwd = repository('in-worktree');
  const page = await openPage(served(), { path: '/' });
  const folder = page.getByLabel('Folder');
  await folder.fill(cwd);
  await page.getByRole('radio', { name: 'New worktree from main' }).waitFor();
  await page.getByText('Worktree options').click();
  await page.getByLabel('Branch name').fill('Tidy up');
  await page.getByLabel('With my uncommitted changes').check();
  await screenshot(page, 'new-task-worktree');
  await page
    .getByRole('textbox', { name: 'Prompt' })
    .fill('demo:script [{"write":{"path":"w.txt","content":"w"}},{"say":"Finished."}]');
  await page.getByLabel('Permissions').selectOption('allow-all');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Finished.', { exact: true }).waitFor();
  await page.getByText(/baton\/tidy-up.* ← main/).waitFor();
  await screenshot(page, 'session-worktree');
  const status = execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' });
  expect(status).toBe('');
});

test('the form starts with the default of the project, and a choice wins over it', async () => {
  const { client } = served();
  const cwd = repository('has-default');
  const setDefault = (kind: string) =>
    writeFileSync(join(cwd, 'baton.json'), JSON.stringify({ workspace: { default: kind } }));
  await client.trustedFolders.create({ folder: cwd, trusted: true });
  const start = async (page: Page) => {
    await page.getByLabel('Folder').fill(cwd);
    await page.getByRole('textbox', { name: 'Prompt' }).fill('demo:script [{"say":"Finished."}]');
    await page.getByRole('radio', { name: 'In place' }).waitFor();
  };
  const end = async (page: Page) => {
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Finished.', { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    return (await client.sessions.get(id)).workspace?.kind;
  };
  setDefault('in_place');
  const page = await openPage(served(), { path: '/' });
  await start(page);
  expect(await page.getByRole('radio', { name: 'In place' }).isChecked()).toBe(true);
  expect(await end(page)).toBe('in_place');
  setDefault('worktree');
  const other = await openPage(served(), { path: '/' });
  await start(other);
  expect(await other.getByRole('radio', { name: 'New worktree' }).isChecked()).toBe(true);
  await other.getByRole('radio', { name: 'In place' }).check();
  expect(await end(other)).toBe('in_place');
});

test('the header of a session says that its worktree was removed, until it is restored', async () => {
  const { client } = served();
  const cwd = repository('removed-and-back');
  const workspace = { kind: 'worktree', workspace_id: 'ws_gone', name: 'gone' } as const;
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo', workspace });
  await runIn(session_id, [{ say: 'Ready.' }]);
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  await page.getByText('baton/gone', { exact: false }).first().waitFor();
  await client.workspaces.removeWorktree({ workspace_id: 'ws_gone' });
  const badge = page.getByRole('link', { name: 'Worktree removed' });
  await badge.waitFor();
  await pictures(page, 'session-removed');
  await client.workspaces.restore('ws_gone');
  await badge.waitFor({ state: 'detached' });
});

test('a card on the board has the repository, the branch and the size of the change', async () => {
  const { client } = served();
  const cwd = repository('on-the-board');
  const workspace = { kind: 'worktree', name: 'door' } as const;
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo', workspace });
  await runIn(session_id, [{ shell: 'echo two > a.txt; echo three >> a.txt' }]);
  const page = await openPage(served(), { path: '/board' });
  const card = page.getByRole('article').filter({ hasText: 'echo three' });
  await card.getByText('+2 −1').waitFor();
  await card.getByText('baton/door', { exact: true }).waitFor();
  await card.getByText('on-the-board', { exact: true }).waitFor();
  await pictures(page, 'board-branch');
});

test('a turn is undone from the menu of its prompt, with later turns, and that is taken back', async () => {
  const { client } = served();
  const cwd = repository('undo-in-menu');
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  await runIn(session_id, [{ say: 'Nothing to do.' }]);
  await runIn(session_id, [{ shell: 'echo two >> a.txt' }]);
  await runIn(session_id, [{ shell: 'echo new > b.txt' }]);
  writeFileSync(join(cwd, 'mine.txt'), 'by hand\n');
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  const prompt = page.getByRole('article', { name: 'Prompt' }).filter({ hasText: 'echo two' });
  const undo = page.getByRole('menuitem', { name: 'Undo this turn' });
  await prompt.getByRole('button', { name: 'Prompt actions' }).click();
  await undo.click();
  const dialog = page.getByRole('dialog', { name: 'Undo this turn?' });
  await dialog.getByText('Restores 2 files to the state before this turn').waitFor();
  await dialog.getByText('and undoes 1 later turn too').waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['a.txt', 'b.txt']);
  await pictures(page, 'undo-dialog');
  await dialog.getByRole('button', { name: 'Undo this turn' }).click();
  await page.getByText('Restored 2 files.').waitFor();
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
  await pictures(page, 'undo-toast');
  writeFileSync(join(cwd, 'mine.txt'), 'changed since\n');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect.poll(() => readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  await expect.poll(() => existsSync(join(cwd, 'b.txt'))).toBe(true);
  expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('changed since\n');

  await client.sessions.executeTask(session_id, { prompt: 'demo:stall' });
  await page.getByText('I am going to be silent now.').waitFor();
  await prompt.getByRole('button', { name: 'Prompt actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy' }).waitFor();
  expect(await undo.count()).toBe(0);
});

test('two running sessions that change the same file say so, on the board and in the session', async () => {
  const { client } = served();
  const cwd = repository('overlap');
  const begin = async (title: string, command: string) => {
    const workspace = { kind: 'worktree', name: title.toLowerCase() } as const;
    const session = { cwd, backend: 'demo', workspace, title };
    const { session_id } = await client.sessions.create(session);
    await runIn(session_id, [{ shell: command }]);
    return session_id;
  };
  const door = await begin('Door', 'echo two >> a.txt');
  const window = await begin('Window', 'echo three >> a.txt; echo new > b.txt');
  const stall = (id: string) => client.sessions.executeTask(id, { prompt: 'demo:stall' });
  const { task_id } = await stall(door);
  const page = await openPage(served(), { path: `/sessions/${door}` });
  await page.getByText('I am going to be silent now.').waitFor();
  const note = page.getByText('Also changed by');
  expect(await note.count()).toBe(0);
  await stall(window);
  await expect.poll(() => note.textContent()).toBe('Also changed by “Window”: a.txt');
  await pictures(page, 'overlap-session');
  await page.getByRole('link', { name: 'Board' }).click();
  const running = page.getByRole('region', { name: 'Running' });
  await running.getByText('Also changed by “Window”: a.txt').waitFor();
  await running.getByText('Also changed by “Door”: a.txt').waitFor();
  await page.getByRole('searchbox').fill('nobody');
  await note.first().waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('');
  await note.first().waitFor();
  await pictures(page, 'overlap-board');
  await client.sessions.stopTask(door, { task_id });
  await expect.poll(() => note.count()).toBe(0);
});

test('a second session in place in the same folder asks first', async () => {
  const { client } = served();
  const cwd = repository('busy');
  const other = await client.sessions.create({ cwd, backend: 'demo', title: 'Door' });
  await client.sessions.executeTask(other.session_id, { prompt: 'demo:stall' });
  const isBusy = async () => (await client.workspaces.inspect(cwd)).busy.length;
  await expect.poll(isBusy).toBe(1);
  const page = await openPage(served(), { path: '/' });
  await page.getByLabel('Folder').fill(cwd);
  await page.getByRole('radio', { name: 'In place' }).check();
  const prompt = page.getByRole('textbox', { name: 'Prompt' });
  await prompt.fill('demo:script [{"say":"Finished."}]');
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.click();
  const dialog = page.getByRole('dialog', { name: 'Start in the same folder?' });
  await dialog.getByText('“Door” already works in this folder.').waitFor();
  await pictures(page, 'busy-folder');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await prompt.inputValue()).toContain('Finished.');
  await start.click();
  await dialog.getByRole('button', { name: 'Use a worktree' }).click();
  await page.getByText('Finished.', { exact: true }).waitFor();
  await page.getByText(/baton\/demo-script.* ← main/).waitFor();
});

test('the whole patch is copied, and the cause of a change leads to its transcript entry', async () => {
  const { client } = served();
  const cwd = repository('copy-patch');
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  await runIn(session_id, [
    { write: { path: 'w.txt', content: 'written\n' } },
    { shell: 'echo two >> a.txt' },
    ...Array.from({ length: 40 }, (_, index) => ({ say: `Line ${index}` })),
  ]);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const path = `/sessions/${session_id}/changes`;
  const page = await openPage(served(), { path, permissions });
  await page.getByRole('button', { name: 'Copy patch' }).click();
  await page.getByText('Copied').waitFor();
  const patch = await page.evaluate(() => navigator.clipboard.readText());
  expect(patch).toContain('+two');
  expect(patch).toContain('+written');
  await pictures(page, 'copy-patch');
  await page.getByRole('link', { name: 'by the agent' }).click();
  await page.waitForURL(`**/sessions/${session_id}`);
  await expect
    .poll(() =>
      page
        .getByText('w.txt')
        .last()
        .evaluate(isInView)
        .catch(() => false),
    )
    .toBe(true);
  await screenshot(page, 'jumped');
  expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(1);
});

test('the keyboard help lists the shortcut to the workspaces', async () => {
  const page = await openPage(served(), { path: '/workspaces' });
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const row = help.locator('dl > div', { hasText: 'Workspaces' });
  expect(await row.locator('kbd').allTextContents()).toEqual(['g', 'w']);
});

/** A trusted project with scripts, and a session in a worktree of it. */
async function withScripts(name: string, workspace: object) {
  const { client } = served();
  const cwd = repository(name);
  writeFileSync(join(cwd, 'baton.json'), JSON.stringify({ workspace }));
  await client.trustedFolders.create({ folder: cwd, trusted: true });
  const { session_id } = await client.sessions.create({
    cwd,
    backend: 'demo',
    title: name,
    workspace: { kind: 'worktree', name },
  });
  await runIn(session_id, [{ say: 'Ready.' }]);
  const record = (await client.sessions.get(session_id)).workspace;
  return { cwd, session_id, path: record?.path ?? '', id: record?.workspace_id ?? '' };
}

const SERVER = [
  process.execPath,
  '-e',
  'require("http").createServer((_, r) => r.end("preview")).listen(process.env.PORT, () => console.log("ready on " + process.env.PORT))',
];

test('the dev server of a worktree is started from the list and stopped in the session', async () => {
  const name = 'dev-server';
  const { session_id, id } = await withScripts(name, { devServer: SERVER, ports: ['PORT'] });
  const page = await openPage(served(), { path: '/workspaces' });
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `baton/${name}` })
    .first();
  await row.getByRole('button', { name: 'Start dev server' }).click();
  await row.getByText('Dev server running').waitFor();
  const { ports } = await served().client.workspaces.scripts(id);
  const link = row.getByRole('link', { name: `localhost:${ports.PORT}` });
  const href = (await link.getAttribute('href')) ?? '';
  await expect.poll(async () => (await fetch(href)).text()).toBe('preview');
  await row.getByRole('button', { name: 'Output' }).click();
  const dialog = page.getByRole('dialog', { name: 'Dev server' });
  await dialog.getByText(`ready on ${ports.PORT}`).waitFor();
  await pictures(page, 'dev-server-output');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await pictures(page, 'dev-server-list');
  await row.getByRole('link', { name, exact: true }).click();
  const header = page.locator('header').filter({ hasText: `baton/${name}` });
  await header.getByRole('link', { name: `localhost:${ports.PORT}` }).waitFor();
  await page.waitForURL(`**/sessions/${session_id}`);
  await pictures(page, 'dev-server-session');
  await header.getByRole('button', { name: 'Stop dev server' }).click();
  await header.getByText('Dev server stopped').waitFor();
  await expect(fetch(href)).rejects.toThrow();
});

test('a failed cleanup is shown, and the worktree is removed anyway on request', async () => {
  const name = 'failed-cleanup';
  const cleanup = 'echo the database is busy; exit 3';
  const { path } = await withScripts(name, { cleanup });
  const page = await openPage(served(), { path: '/workspaces' });
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `baton/${name}` })
    .first();
  await row.getByRole('button', { name: 'Remove' }).click();
  const ask = page.getByRole('dialog', { name: 'Remove this worktree?' });
  await ask.getByRole('button', { name: 'Remove' }).click();
  const failed = page.getByRole('dialog', { name: 'The cleanup failed' });
  await failed.getByText('The cleanup exited with 3.').waitFor();
  await failed.getByText('the database is busy').waitFor();
  expect(existsSync(path)).toBe(true);
  await pictures(page, 'failed-cleanup');
  await failed.getByRole('button', { name: 'Remove anyway' }).click();
  await page.getByText('The worktree was removed anyway.').waitFor();
  expect(existsSync(path)).toBe(false);
});

test('a failed setup is run again from the list, with its output', async () => {
  const name = 'failed-setup';
  const setup = 'echo installing; test -e "$BATON_REPOSITORY/fixed" || exit 9';
  const { cwd } = await withScripts(name, { setup });
  const page = await openPage(served(), { path: '/workspaces' });
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `baton/${name}` })
    .first();
  await row.getByText('The setup exited with 9.').waitFor();
  await pictures(page, 'failed-setup');
  await row.getByRole('button', { name: 'Set up again' }).click();
  const failed = page.getByRole('dialog', { name: 'Setup failed' });
  await failed.getByText('installing').waitFor();
  await failed.getByRole('button', { name: 'Close' }).last().click();
  writeFileSync(join(cwd, 'fixed'), '');
  await row.getByRole('button', { name: 'Set up again' }).click();
  await page.getByRole('dialog', { name: 'Setup done' }).waitFor();
  await page.keyboard.press('Escape');
  await row.getByText('Ready', { exact: true }).waitFor();
  expect(await row.getByRole('button', { name: 'Set up again' }).count()).toBe(0);
});

test('a prompt is retried with the files as they were, and forked with the files of its turn', async () => {
  const { client } = served();
  const cwd = repository('restart-turn');
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo', title: 'Restart' });
  await runIn(session_id, [{ shell: 'echo two >> a.txt' }, { say: 'First.' }]);
  await runIn(session_id, [{ shell: 'cat a.txt > seen.txt' }, { say: 'Second.' }]);
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
  const page = await openPage(served(), { path: `/sessions/${session_id}` });
  const prompt = page.getByRole('article', { name: 'Prompt' }).filter({ hasText: 'echo two' });
  await prompt.getByRole('button', { name: 'Prompt actions' }).click();
  const fork = page.getByRole('menuitem', { name: 'Fork with the files of this turn' });
  await fork.waitFor();
  await pictures(page, 'prompt-menu');
  await fork.click();
  await page.getByText('Forked. The original session is unchanged.').waitFor();
  await page.getByText(/baton\/restart.* ← main/).waitFor();
  const forked = await client.sessions.get(page.url().split('/').at(-1) ?? '');
  expect(readFileSync(join(forked.cwd, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  await page.goBack();
  await prompt.getByRole('button', { name: 'Prompt actions' }).click();
  await page.getByRole('menuitem', { name: 'Retry with the files as they were' }).click();
  // The original session has the notice too.
  await page.waitForURL((url) => !url.pathname.includes(session_id));
  const kept = 'Kept a.txt, changed since by someone else.';
  await page.getByText(`Restored the files of checkpoint 1: seen.txt. ${kept}`).waitFor();
  const content = 'one\ntwo\nthree\ntwo\n';
  await expect.poll(() => readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe(content);
  expect(existsSync(join(cwd, 'seen.txt'))).toBe(false);
});

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
