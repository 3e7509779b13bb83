import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BatonClient } from '@baton/client';

const BEFORE = `import { request } from './http.ts';

const DELAY_MS = 200;

/** Loads the prices of a product. */
export async function prices(id: string) {
  const found = await request(\`/products/\${id}/prices\`);
  return found.items;
}
`;
const AFTER = `import { request } from './http.ts';

const TRIES = 3;
const DELAY_MS = 200;

/** Loads the prices of a product. */
export async function prices(id: string) {
  for (let tries = 1; ; tries += 1) {
    try {
      const found = await request(\`/products/\${id}/prices\`);
      return found.items;
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((done) => setTimeout(done, DELAY_MS * tries));
    }
  }
}
`;
const TEST = `import { expect, test } from 'vitest';
import { prices } from '../src/prices.ts';

test('a failed request is repeated', async () => {
  expect(await prices('flaky')).toHaveLength(2);
});
`;

/** Makes a repository in which an agent has worked in a worktree, with comments on its change; returns the session. */
export async function reviewedSession(client: BatonClient, folder: string): Promise<string> {
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('src/prices.ts', BEFORE);
  write('README.md', 'Shop\n');
  write('test/http.test.ts', '// Tests of requests.\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=You', '-c', 'user.email=you@localhost', 'commit', '--quiet', '-m', 'Prices');
  const { session_id } = await client.sessions.create({
    ...{ cwd: folder, backend: 'demo', title: 'Retry the request for prices' },
    workspace: { kind: 'worktree', name: 'Retry prices' },
  });
  const steps = [
    { write: { path: 'src/prices.ts', content: AFTER } },
    { write: { path: 'test/prices.test.ts', content: TEST } },
    { say: 'The request is repeated up to three times, with growing pauses.' },
  ];
  const prompt = `demo:script ${JSON.stringify(steps)}`;
  const task = await client.sessions.executeTask(session_id, {
    prompt,
    permission_mode: 'allow-all',
  });
  await (await client.join(task.task_id)).collect();
  const { to: tree } = await client.changes.find({ session_id });
  const on = { session_id, side: 'new', tree } as const;
  await client.reviewComments.create({
    ...on,
    ...{ path: 'src/prices.ts', line: 13, end_line: 14 },
    quote: AFTER.split('\n').slice(12, 14).join('\n'),
    text: 'Do not retry if the product does not exist: check the status first.',
  });
  return session_id;
}
