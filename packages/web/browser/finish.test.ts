import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { FakeGitHub } from '../../workspaces/src/testing/fake-github.ts';
import { finishedSession } from './testing/finished-session.ts';
import { screenshot } from './testing/screenshot.ts';
import { servePage, shareServedPage } from './testing/served-page.ts';
import { isTooWide } from './testing/too-wide.ts';

const served = shareServedPage();

test('the work of a session is merged from its Changes view, and its worktree is removed', async () => {
  const { git, page, tree } = await finishedSession(served(), 'finish-merge');
  await page.getByRole('button', { name: 'Merge into main…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge the work' });
  await dialog.getByText(/Commits 2 files \(\+2 −0\) on baton\/count-up as Ada/).waitFor();
  await dialog.getByLabel('Message').fill('Count to two');
  await screenshot(page, 'finish-merge');
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, 'finish-merge-390');
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('Merged into main.').waitFor();
  expect(git('log', '--format=%s|%an', 'main')).toBe('Count to two|Ada\nfirst|U');
  await page.getByRole('button', { name: 'Remove the worktree' }).click();
  await expect.poll(() => existsSync(tree)).toBe(false);
  await page.getByRole('link', { name: 'Transcript' }).click();
  await page.getByText(/Merged baton\/count-up into main as [0-9a-f]{10}\./).waitFor();
});

test('files can be left out of a commit', async () => {
  const { git, page, tree } = await finishedSession(served(), 'finish-commit');
  await page.getByRole('button', { name: 'Commit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Commit the changes' });
  await dialog.getByText('All files').click();
  await dialog.getByRole('checkbox', { name: 'b.txt' }).uncheck();
  await dialog.getByText('1 of 2 files').waitFor();
  await screenshot(page, 'finish-commit');
  await dialog.getByRole('button', { name: 'Commit', exact: true }).click();
  await page.getByText(/Committed 1 file as/).waitFor();
  expect(git('log', '-1', '--name-only', '--format=%s', 'baton/count-up')).toBe(
    'Count up\n\na.txt',
  );
  expect(existsSync(join(tree, 'b.txt'))).toBe(true);
});

test('a hook that refuses shows its output, and conflicts can be given to the agent', async () => {
  const { cwd, git, page, tree } = await finishedSession(served(), 'finish-conflict');
  writeFileSync(join(cwd, '.git/hooks/pre-commit'), '#!/bin/sh\necho No commits today.\nexit 1\n', {
    mode: 0o755,
  });
  await page.getByRole('button', { name: 'Commit…' }).click();
  const commit = page.getByRole('dialog', { name: 'Commit the changes' });
  await commit.getByText('Runs 1 hook: pre-commit.').waitFor();
  await commit.getByRole('button', { name: 'Commit', exact: true }).click();
  await commit.getByText(/No commits today\./).waitFor();
  await commit.getByRole('button', { name: 'Cancel' }).click();
  writeFileSync(join(cwd, 'a.txt'), 'mine\n');
  git('commit', '--no-verify', '-qam', 'mine');
  await page.getByRole('button', { name: 'Merge into main…' }).click();
  const merge = page.getByRole('dialog', { name: 'Merge the work' });
  await merge.getByText('cannot be merged into main: both changed a.txt.').waitFor();
  await screenshot(page, 'finish-conflict');
  await merge.getByRole('button', { name: 'Let the agent resolve them' }).click();
  // The hook that refuses commits refuses this one too.
  await page.getByText(/No commits today\./).waitFor();
  rmSync(join(cwd, '.git/hooks/pre-commit'));
  await merge.getByRole('button', { name: 'Let the agent resolve them' }).click();
  await page.getByText(/A merge of main into baton\/count-up has been started/).waitFor();
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toContain('<<<<<<<');
});

test('a discarded worktree is gone and can be restored', async () => {
  const { page, tree } = await finishedSession(served(), 'finish-discard');
  await page.getByRole('button', { name: 'Discard…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discard the worktree?' });
  await dialog.getByText(/2 files with uncommitted changes.* can be restored/).waitFor();
  await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('Discarded. It can be restored for 30 days.').waitFor();
  expect(existsSync(tree)).toBe(false);
  await page.getByText('Worktree removed').waitFor();
  expect(await page.getByRole('button', { name: 'Commit…' }).count()).toBe(0);
});

test('a pull request is made from the Changes view, and its session shows it', async ({ skip }) => {
  skip(!inject('hasGh'), 'gh is not installed');
  const forge = await FakeGitHub.start();
  const { cwd, git, page } = await finishedSession(
    await servePage({ env: forge.env }),
    'finish-pr',
  );
  forge.serve(git);
  writeFileSync(join(cwd, 'mine.txt'), 'not part of it\n');
  await page.getByRole('button', { name: 'Create PR…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a pull request' });
  await dialog.getByText(/Makes the pull request "Count up" into main/).waitFor();
  await dialog.getByLabel('Title').fill('Count to two');
  await dialog.getByLabel('Text').fill('So far it counted to one.');
  await dialog.getByRole('checkbox', { name: 'Draft' }).check();
  await dialog.getByText(/Makes the draft pull request "Count to two" into main/).waitFor();
  await screenshot(page, 'finish-pr');
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, 'finish-pr-390');
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Created pull request #12.').waitFor();
  expect(forge.pulls).toMatchObject([
    { title: 'Count to two', body: 'So far it counted to one.', isDraft: true, base: 'main' },
  ]);
  const link = page.getByRole('link', { name: 'PR #12' });
  expect(await link.getAttribute('href')).toBe('http://github.localhost/ada/app/pull/12');
  await screenshot(page, 'finish-pr-made');
});
