import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

/** A daemon whose user has a home of its own, and a folder with settings for the demo agent. */
async function placed() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-trust-')));
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
  const folder = join(home, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, '.baton-demo.json'), '{}');
  const daemon = await testDaemon();
  const check = async () =>
    (
      await daemon.call('POST', '/trusted-folders/check', {
        body: { folder, backend: 'demo' },
        as: daemon.tokens.member,
      })
    ).body;
  return { daemon, folder, check };
}

test('a member decides about a folder, and everybody sees it', async () => {
  const { daemon, folder, check } = await placed();
  const settings = ['.baton-demo.json'];
  expect(await check()).toEqual({ folder, trusted: false, settings });
  const decide = (trusted: boolean, as = daemon.tokens.member) =>
    daemon.call('POST', '/trusted-folders', { body: { folder, trusted }, as });
  expect((await decide(true, daemon.tokens.viewer)).status).toBe(403);
  expect((await decide(true)).body).toEqual({ folder, trusted: true });
  expect(await check()).toEqual({ folder, trusted: true, decidedBy: 'user', settings });
  await decide(false);
  const { body } = await daemon.call('GET', '/trusted-folders', { as: daemon.tokens.viewer });
  expect(body).toEqual([{ folder, trusted: false }]);
  await daemon.call('POST', '/trusted-folders/forget', { body: { folder } });
  expect(await check()).toEqual({ folder, trusted: false, settings });
});

test.each(['project', '~/project', '/a\0b'])('the folder %j is refused', async (folder) => {
  const { daemon } = await placed();
  const { status } = await daemon.call('POST', '/trusted-folders', {
    body: { folder, trusted: true },
  });
  expect(status).toBe(400);
});
