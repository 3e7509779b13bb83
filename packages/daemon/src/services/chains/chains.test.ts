import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  const data = join(home, 'data');
  const daemon = await testDaemon({ folder: data });
  for (const name of names) {
    const cwd = join(home, name);
    mkdirSync(cwd);
    await daemon.call('POST', '/sessions', {
      body: { cwd, backend: 'demo' },
      as: daemon.tokens.member,
    });
  }
  const find = async (query = '', as = daemon.tokens.viewer) => {
    const { body } = await daemon.call('GET', `/chains${query}`, { as });
    return body as unknown as ChainsFileRecord[];
  };
  return { home, data, daemon, find };
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

test.each(['none', 'bubblewrap'])('reads no file of the daemon for a chain (%s)', async (mode) => {
  const { home, data, daemon, find } = await placed('some');
  await daemon.call('PATCH', '/settings/executors.isolation', { body: { value: mode } });
  const folder = join(home, 'some');
  const file = join(folder, 'chains.json');
  symlinkSync(join(data, 'master.key'), join(folder, 'link'));
  symlinkSync(data, join(folder, 'linked'));
  const key = join(data, 'master.key');
  for (const promptFile of [key, '../data/master.key', 'link', 'linked/master.key']) {
    const agents = { demo: { backend: 'demo', promptFile } };
    const steps = [{ id: 'a', agent: 'demo' }];
    writeFileSync(file, JSON.stringify({ agents, chains: { one: { steps } } }));
    const [found] = await find();
    expect(found?.problem).toContain('it is not in the folder');
    const trust = { file, hash: found?.hash };
    for (const [path, body] of [
      ['/chains/trust', trust],
      ['/chain-runs', { file, chain: 'one', inputs: {} }],
    ] as const) {
      const { status, body: refused } = await daemon.call('POST', path, {
        body,
        as: daemon.tokens.member,
      });
      expect([status, refused.message]).toEqual([400, expect.stringContaining('is not in the')]);
    }
  }
});

test('reads no file of the daemon even for a chain in the folder around it', async () => {
  const { home, daemon } = await placed();
  const file = join(home, 'chains.json');
  const agents = { demo: { backend: 'demo', promptFile: 'data/master.key' } };
  writeFileSync(file, JSON.stringify({ ...CHAINS, agents }));
  const { body } = await daemon.call('POST', '/chains/trust', { body: { file, hash: '' } });
  expect(body.message).toContain('it is not in the folder');
});

test('does not tell which files there are', async () => {
  const { home, data, daemon, find } = await placed('some');
  const other = join(home, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'chains.json'), JSON.stringify(CHAINS));
  writeFileSync(join(other, 'notes.txt'), 'no JSON');
  writeFileSync(join(data, 'chains.json'), JSON.stringify(CHAINS));
  const { member, viewer } = daemon.tokens;
  for (const path of ['other/chains.json', 'other/notes.txt', 'other/none', 'data/master.key']) {
    expect(await find(`?file=${join(home, path)}`, viewer)).toEqual([]);
  }
  expect(await find(`?cwd=${other}`, viewer)).toEqual([]);
  for (const path of ['data/chains.json', 'data/master.key', 'data/none']) {
    expect(await find(`?file=${join(home, path)}`, member)).toEqual([]);
  }
  expect(await find(`?cwd=${data}`, member)).toEqual([]);
  expect(await find('?file=/proc/self/environ', member)).toEqual([]);
  // A member may run an agent in any folder, and so may look for chains there.
  expect(await find(`?cwd=${other}`, member)).toMatchObject([{ problem: null }]);
});

test('lists what a file does beyond asking in its folder, also when it is trusted', async () => {
  const { home, daemon, find } = await placed('some');
  const file = join(home, 'some/chains.json');
  const demo = { backend: 'demo', permissionMode: 'auto', cwd: '..' };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a chains file
  const prompt = 'Hi ${GITHUB_TOKEN:-you}';
  const steps = [{ id: 'a', agent: 'demo', prompt }];
  writeFileSync(file, JSON.stringify({ agents: { demo }, chains: { one: { steps } } }));
  const widened = [
    { chain: 'one', step: '', what: 'variables of yours', value: 'GITHUB_TOKEN' },
    { chain: 'one', step: 'a', what: 'permission mode', value: 'auto' },
    { chain: 'one', step: 'a', what: 'folder', value: '..' },
  ];
  const [known] = await find();
  expect(known).toMatchObject({ widened, trusted: false });
  const body = { file, hash: known?.hash };
  const answer = await daemon.call('POST', '/chains/trust', { body, as: daemon.tokens.member });
  expect(answer.body).toMatchObject({ widened, trusted: true });
});
