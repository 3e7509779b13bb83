import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from './testing/page.ts';
import { shareModel, withRealAgents } from './testing/real-agents.ts';
import { makeRepository } from './testing/repository.ts';
import { screenshot } from './testing/screenshot.ts';

const model = shareModel();

const TASKS = [
  { name: 'door', agent: 'Claude Code' },
  { name: 'window', agent: 'Claude Code' },
  { name: 'roof', agent: 'Codex' },
] as const;
type Task = (typeof TASKS)[number];

/** The turns of an agent; each changes files with a command. */
function script({ name }: Task): void {
  const turn = (command: string, text: string) => [{ tools: [{ shell: command }] }, { text }];
  model().script(`${name}-first`, turn(`echo ${name} >> a.txt`, `The ${name} is painted.`));
  const more = `echo ${name} > more.txt && echo ${name} again >> a.txt`;
  model().script(`${name}-second`, turn(more, `The ${name} is dry.`));
  model().script(`${name}-third`, turn(`echo ${name} at last >> a.txt`, `The ${name} is done.`));
}

async function start(page: Page, { name, agent }: Task, cwd: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: agent });
  await page.getByRole('combobox', { name: 'Folder' }).fill(cwd);
  await page.getByRole('radio', { name: 'New worktree from main' }).check();
  await page.getByLabel('Permissions').selectOption('allow-all');
  const prompt = `[[${name}-first]] Paint the ${name}.`;
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL('**/sessions/**');
}

async function send(page: Page, prompt: string, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log').getByText(answer).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
}

test('three real agents work on one repository at once, each in a worktree that is undone, continued and removed', async () => {
  for (const task of TASKS) script(task);
  const served = await withRealAgents(model(), ['claude', 'codex'], { sandbox: true });
  const cwd = makeRepository(served.work, 'house');
  const pages = await Promise.all(TASKS.map(() => openPage(served)));
  const each = (act: (page: Page, task: Task) => Promise<void>) =>
    Promise.all(TASKS.map((task, n) => act(pages[n] as Page, task)));

  await each((page, task) => start(page, task, cwd));
  await each(async (page, { name }) => {
    await page.getByRole('log').getByText(`The ${name} is painted.`).waitFor();
  });
  const folders = new Map<string, string>();
  const listed = await served.client.workspaces.find();
  for (const { name } of TASKS) {
    const found = listed.find(({ branch }) => branch?.includes(name));
    expect(found).toMatchObject({ repository: cwd, base_ref: 'main', kind: 'worktree' });
    folders.set(name, found?.path ?? '');
  }
  const read = (name: string, file: string) =>
    readFileSync(join(folders.get(name) ?? '', file), 'utf8');

  await each((page, { name }) => send(page, `[[${name}-second]] Dry it.`, `The ${name} is dry.`));
  for (const { name } of TASKS) {
    expect(read(name, 'a.txt')).toBe(`one\n${name}\n${name} again\n`);
    expect(read(name, 'more.txt')).toBe(`${name}\n`);
  }
  expect(readdirSync(cwd).sort()).toEqual(['.git', 'a.txt']);

  await each(async (page, { name }) => {
    await page.goto(`${page.url()}/changes`);
    await page.getByText('2 files, +3 −0 lines').waitFor();
    await page.locator('[data-kind=add]', { hasText: `${name} again` }).waitFor();
    expect(await page.getByText('by a command').count()).toBe(2);
    if (name === 'door') await screenshot(page, 'worktree-real-changes');
    await page.getByLabel('Compare with').selectOption('turn');
    await page.getByText('2 files, +2 −0 lines').waitFor();
    await page.getByRole('button', { name: 'Undo this turn' }).click();
    await page.getByText('Restored 2 files.').waitFor();
  });
  for (const { name } of TASKS) {
    expect(read(name, 'a.txt')).toBe(`one\n${name}\n`);
    expect(existsSync(join(folders.get(name) ?? '', 'more.txt'))).toBe(false);
  }

  await each(async (page, { name }) => {
    await page.goto(page.url().replace(/\/changes.*/, ''));
    await send(page, `[[${name}-third]] Once more.`, `The ${name} is done.`);
  });
  for (const { name } of TASKS) {
    expect(read(name, 'a.txt')).toBe(`one\n${name}\n${name} at last\n`);
  }

  const [page] = pages as [Page];
  await page.goto(`${served.url}/app/workspaces`);
  await page.getByText('3 with work that is nowhere else').waitFor();
  await screenshot(page, 'worktree-real-list');
  for (const left of [2, 1, 0]) {
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Remove this worktree?' });
    await dialog.getByText('It has work that is nowhere else:').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    const rows = page.getByRole('button', { name: 'Remove', exact: true });
    await expect.poll(() => rows.count()).toBe(left);
  }
  for (const folder of folders.values()) expect(existsSync(folder)).toBe(false);
  const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  expect(git('status', '--porcelain')).toBe('');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(git('fsck', '--no-dangling')).toBe('');
});
