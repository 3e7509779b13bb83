import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonUser } from '../testing/daemon-user.ts';

/** A session in the repository of a user who is logged in. */
async function world() {
  const made = await daemonUser();
  const { cwd, client } = made;
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  const call = (...args: string[]) => made.call(args);
  return { ...made, session_id, call, file: (name: string) => join(cwd, name) };
}

test('turns are listed with their prompts, and one is undone by its id, here or elsewhere', async () => {
  const { run, session_id, call, file, world: user } = await world();
  const first = await run(session_id, [{ shell: 'echo two >> a.txt' }]);
  const second = await run(session_id, [{ shell: 'echo x > b.txt' }]);
  const { stdout } = await call('undo', '--list');
  expect(stdout.split('\n')[0]).toMatch(/^CHECKPOINT +KEPT +AGE +TURN +SESSION +PROMPT$/);
  expect(stdout).toMatch(new RegExp(`${second.slice(0, 8)}.*echo x > b.txt`));
  // The text has ages, which change.
  const here = await call('undo', '--list', '--json');
  const remote = await call('undo', '--session', session_id.slice(0, 8), '--list', '--json');
  expect(remote).toEqual(here);
  const undone = await call('undo', second.slice(0, 8));
  expect(undone).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(file('b.txt'))).toBe(false);
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one\ntwo\n');
  // In another folder the daemon finds the turn.
  const elsewhere = await call('undo', '-C', user.home, '--turn', first.slice(0, 8));
  expect(elsewhere).toMatchObject({ code: 0, stderr: '' });
  expect(elsewhere.stdout).toContain(`baton undo --session ${session_id.slice(0, 8)} `);
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one\n');
});

test('an undo through the daemon is refused while the agent works', async () => {
  const { run, session_id, call, file, client } = await world();
  const first = await run(session_id, [{ shell: 'echo two >> a.txt' }]);
  const { task_id } = await client.sessions.executeTask(session_id, { prompt: 'demo:stall' });
  await expect.poll(async () => (await client.tasks.get(task_id)).status).toBe('RUNNING');
  const id = session_id.slice(0, 8);
  for (const args of [[id], ['--session', id, '--turn', first.slice(0, 8)], ['--session', id]]) {
    const refused = await call('undo', '-C', '/', ...args);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('An agent is still working in these files.');
    expect(refused.stderr).toContain('Stop its task first');
  }
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one\ntwo\n');
  await client.sessions.stopTask(session_id, { task_id });
});

test('a fork and a retry start with the files of a turn', async () => {
  const { run, session_id, call, file, client, world: user } = await world();
  const first = await run(session_id, [{ shell: 'echo two >> a.txt' }]);
  const [short, turn] = [session_id.slice(0, 8), first.slice(0, 8)];
  const fork = await call('sessions', 'fork', short, '--before', turn, '--files=worktree');
  expect(fork).toMatchObject({ code: 0, stderr: '' });
  const made = /in (\S+)\.\n/.exec(fork.stdout)?.[1] ?? '';
  expect(made.startsWith(join(user.home, 'baton-workspaces/project'))).toBe(true);
  expect(readFileSync(join(made, 'a.txt'), 'utf8')).toBe('one\n');
  const prompt = 'demo:script [{"say":"Again."}]';
  const retried = await call('tasks', 'retry', turn, prompt, '--files=restored', '--json');
  expect(retried.code).toBe(0);
  const { task_id } = JSON.parse(retried.stdout);
  await (await client.join(task_id)).collect();
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one\n');
  const wrong = await call('tasks', 'retry', turn, '--files=old');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
});
