import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, onTestFinished } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import { FakeGitHub } from '../packages/workspaces/src/testing/fake-github.ts';

type Files = Readonly<Record<string, string>>;

/** A daemon with a home of its own, and a repository in it. */
export async function world(
  files: Files = { 'a.txt': 'one\n', 'b.txt': 'b\n' },
  {
    root = tmpdir(),
    env = {},
  }: { root?: string | undefined; env?: Readonly<Record<string, string>> | undefined } = {},
) {
  const home = realpathSync(mkdtempSync(join(root, 'baton-workspaces-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const repository = join(home, 'app');
  mkdirSync(repository);
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      env: { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    }).trimEnd();
  git('init', '--quiet', '-b', 'main');
  git('config', 'user.name', 'U');
  git('config', 'user.email', 'u@localhost');
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(repository, name), content);
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  const served = await serveIn(join(home, 'state'), 0, [], { HOME: home, ...env });
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  const run = async (sessionId: string, steps: readonly object[]) => {
    const prompt = `demo:script ${JSON.stringify(steps)}`;
    const task = await client.sessions.executeTask(sessionId, {
      prompt,
      permission_mode: 'allow-all',
    });
    const { outcome, error } = await (await client.join(task.task_id)).collect();
    expect({ outcome, error }).toEqual({ outcome: 'done', error: undefined });
    return task.task_id;
  };
  const session = (more: object = {}) =>
    client.sessions.create({ cwd: repository, backend: 'demo', ...more });
  return { home, repository, git, client, run, session, served };
}

/** A world whose repository is on a stand-in for GitHub. */
export async function worldOnForge() {
  const forge = await FakeGitHub.start();
  const made = await world(undefined, { env: forge.env });
  forge.serve(made.git);
  return { ...made, forge };
}
