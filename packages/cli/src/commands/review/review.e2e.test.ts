import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonUser } from '../../testing/daemon-user.ts';

/** A repository in which an agent of a daemon has changed a file, and a user who is logged in. */
async function reviewed() {
  const made = await daemonUser();
  const { world, cwd, client, run, call } = made;
  const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
  await run(session_id, [{ shell: 'echo two >> a.txt; echo new > b.txt' }]);
  const review = (args: readonly string[], env: Record<string, string> = {}) =>
    call(['review', ...args], env);
  /** An editor that adds lines below the line "+two". */
  const editor = (...lines: string[]) => {
    const file = join(world.home, 'editor.sh');
    const text = lines.map((line) => `${line}\\n`).join('');
    writeFileSync(file, `#!/bin/sh\nsed -i 's/^+two$/+two\\n${text.replace(/\\n$/, '')}/' "$1"\n`);
    chmodSync(file, 0o755);
    return { EDITOR: file };
  };
  return { client, session_id, review, editor };
}

test('comments written in an editor are sent as one prompt, and listed', async () => {
  const { client, session_id, review, editor } = await reviewed();
  const { code, stdout, stderr } = await review(['--send'], editor('# Say three too.'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Sent 1 comment.');
  const { data } = await client.tasks.find({ session_id });
  expect(data.map(({ full_prompt }) => full_prompt)).toContain(
    'Address this comment on your change.\n\na.txt:2\n```\ntwo\n```\nSay three too.',
  );
  expect((await review(['--list'])).stdout).toBe('a.txt:2 (sent)\n  Say three too.\n');
});

test('a place can be commented on without an editor; drafts are kept and sent later', async () => {
  const { session_id, review, client } = await reviewed();
  const kept = await review(['--on', 'a.txt:1-2', '-m', 'Both.', session_id.slice(0, 8)]);
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('Kept 1 comment') });
  expect(await client.reviewComments.find(session_id)).toMatchObject([
    { path: 'a.txt', line: 1, end_line: 2, quote: 'one\ntwo\n', text: 'Both.', task_id: null },
  ]);
  const json = await review(['--on', 'b.txt', '-m', 'Why?', '--send', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ session_id, drafts: 2 });
  expect(JSON.parse((await review(['--list', '--json'])).stdout)).toMatchObject([
    { text: 'Both.', task_id: expect.any(String) },
    { text: 'Why?', line: null },
  ]);
});

test('an editor that writes nothing or fails sends nothing', async () => {
  const { review, client, session_id } = await reviewed();
  expect(await review([], { EDITOR: 'true' })).toMatchObject({ code: 0, stdout: 'No comments.\n' });
  expect((await review([], { EDITOR: 'false' })).stderr).toContain('The editor exited with 1');
  expect((await review([], { EDITOR: '', VISUAL: '' })).stderr).toContain('No editor is set');
  expect((await review(['--on', 'a.txt:9-1', '-m', 'x'])).stderr).toContain('is not a place');
  for (const place of ['a.txt:99', 'nowhere.txt', 'a.txt:abc']) {
    const refused = await review(['--on', place, '-m', 'x']);
    expect(refused.stderr).toContain(`${place} is not part of the change`);
  }
  expect((await review(['--on', 'a.txt:1'])).stderr).toContain('The comment has no text');
  expect((await review(['-C', '/tmp'], {})).stderr).toContain('has no session in /tmp');
  expect(await client.reviewComments.find(session_id)).toEqual([]);
});
