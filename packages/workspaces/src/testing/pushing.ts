import { vi } from 'vitest';
import { FakeGitHub } from './fake-github.ts';
import { TestWorld } from './world.ts';

/** A worktree in which an agent has worked, whose repository is on the stand-in for GitHub. */
export async function pushing() {
  const user = new TestWorld();
  user.run('config', 'user.name', 'Ada');
  user.run('config', 'user.email', 'ada@localhost');
  user.commit({ a: '1\n' });
  const forge = await FakeGitHub.start();
  forge.serve((...args) => user.run(...args));
  for (const [name, value] of Object.entries(forge.env)) vi.stubEnv(name, value);
  const { record } = await user.create({ name: 'fix-the-login' });
  const { path } = record;
  user.write({ b: 'new\n' }, path);
  const bare = (...args: string[]) => user.runIn(forge.repository, ...args);
  return { user, home: user.home, record, path, forge, bare };
}
