import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainsFileRecord } from '@baton/protocol/wire';
import { expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const CHAINS = {
  agents: { demo: { backend: 'demo' } },
  chains: { one: { steps: [{ id: 'a', agent: 'demo', prompt: 'Hi' }] } },
};

/** A daemon with sessions in some folders. */
async function placed(...names: string[]) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-chains-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const daemon = await testDaemon();
  for (const name of names) {
    const cwd = join(home, name);
    mkdirSync(cwd);
    await daemon.call('POST', '/sessions', {
      body: { cwd, backend: 'demo' },
      as: daemon.tokens.member,
    });
  }
  const find = async (query = '') => {
    const { body } = await daemon.call('GET', `/chains${query}`, { as: daemon.tokens.viewer });
    return body as unknown as ChainsFileRecord[];
  };
  return { home, daemon, find };
}

test('lists the chains files of the folders that have one', async () => {
  const { home, find } = await placed('none', 'some');
  expect(await find()).toEqual([]);
  expect(await find(`?cwd=${join(home, 'none')}`)).toEqual([]);
  const file = join(home, 'some/chains.json');
  writeFileSync(file, JSON.stringify(CHAINS));
  const found = await find();
  expect(found).toMatchObject([
    { file, folder: join(home, 'some'), trusted: false, problem: null },
  ]);
  expect(found[0]?.chains.map(({ name }) => name)).toEqual(['one']);
});

test('lists a broken file with its path and the position of the problem', async () => {
  const { home, find } = await placed('some');
  const file = join(home, 'some/chains.json');
  writeFileSync(file, '{ "chains": 1 }');
  const problem = expect.stringMatching(/chains\.json:1:13: /);
  expect(await find()).toMatchObject([{ file, folder: join(home, 'some'), problem, chains: [] }]);
});

test('does not list a trusted file that was deleted', async () => {
  const { home, daemon, find } = await placed('some');
  const file = join(home, 'some/chains.json');
  writeFileSync(file, JSON.stringify(CHAINS));
  const [known] = await find();
  const body = { file, hash: known?.hash };
  await daemon.call('POST', '/chains/trust', { body, as: daemon.tokens.member });
  expect(await find()).toMatchObject([{ file, trusted: true }]);
  rmSync(file);
  expect(await find()).toEqual([]);
});
