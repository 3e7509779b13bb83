import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPage } from './page.ts';
import { makeRepository } from './repository.ts';
import type { ServedPage } from './served-page.ts';

/** A session whose agent has changed two files in a worktree, with its Changes view; other files are there before. */
export async function finishedSession(
  served: ServedPage,
  name: string,
  before: Readonly<Record<string, string | Buffer>> = {},
) {
  const { client, work } = served;
  const cwd = makeRepository(work, name);
  const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trimEnd();
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@localhost');
  for (const [path, content] of Object.entries(before)) {
    writeFileSync(join(cwd, path), content);
    git('add', path);
    git('commit', '--quiet', '-m', path);
  }
  const workspace = { kind: 'worktree', name: 'Count up' } as const;
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo', workspace });
  const prompt = 'demo:script [{"shell":"echo two >> a.txt; echo new > b.txt"},{"say":"Done."}]';
  const mode = { permission_mode: 'allow-all' } as const;
  const task = await client.sessions.executeTask(session_id, { prompt, ...mode });
  await (await client.join(task.task_id)).collect();
  const page = await openPage(served, { path: `/sessions/${session_id}/changes` });
  const { cwd: tree } = await client.sessions.get(session_id);
  return { cwd, git, page, tree, session_id };
}
