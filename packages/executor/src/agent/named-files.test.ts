import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@baton/config/settings';
import type { Isolation } from '@baton/process/isolation/isolation';
import { expect, onTestFinished, test } from 'vitest';
import { projectReader, withNamedFiles } from './named-files.ts';

const SERVERS = { mcpServers: { own: { command: 'x', env: { TOKEN: 'secret' } } } };

function workspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'named-files-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const cwd = join(root, 'workspace');
  mkdirSync(cwd);
  for (const folder of [root, cwd]) {
    writeFileSync(join(folder, 'own.json'), JSON.stringify(SERVERS));
    writeFileSync(join(folder, 'own.png'), 'png');
  }
  symlinkSync(join(root, 'own.json'), join(cwd, 'link.json'));
  symlinkSync(join(root, 'own.png'), join(cwd, 'link.png'));
  symlinkSync(root, join(cwd, 'up'));
  const isolation: Isolation = { mode: 'bubblewrap', network: true, unix_user: null, hidden: [] };
  return { root, cwd, isolation };
}

test('a confined task gets the content of the files in its folder', () => {
  const { cwd, isolation } = workspace();
  const paths = { settings: 'own.json', mcpConfig: join(cwd, 'own.json') };
  const named = { prompt: 'Hi.', ...paths, images: [{ path: 'own.png' }] };
  expect(withNamedFiles(named, cwd, isolation)).toEqual({
    prompt: 'Hi.',
    settings: SERVERS,
    mcpConfig: SERVERS,
    images: [{ data: Buffer.from('png').toString('base64'), mimeType: 'image/png' }],
  });
  expect(withNamedFiles(named, cwd, { ...isolation, mode: 'none' })).toBe(named);
});

test('a confined task may not name files outside of its folder', () => {
  const { root, cwd, isolation } = workspace();
  for (const name of ['../own', `${root}/own`, 'link', 'up/own']) {
    for (const options of [
      { settings: `${name}.json` },
      { mcpConfig: `${name}.json` },
      { images: [{ path: `${name}.png` }] },
    ]) {
      expect(() => withNamedFiles({ prompt: 'Hi.', ...options }, cwd, isolation)).toThrow(
        `it is not in the folder ${cwd}`,
      );
    }
  }
  const hidden = [join(cwd, 'own.json')];
  const settings = { prompt: 'Hi.', settings: 'own.json' };
  expect(() => withNamedFiles(settings, cwd, { ...isolation, hidden })).toThrow('is not in the');
});

test('the settings of a project are not read through a link that leads elsewhere', () => {
  const { root, cwd, isolation } = workspace();
  writeFileSync(join(cwd, 'baton.json'), '{ "model": "own" }');
  const readProject = projectReader(isolation);
  const load = () => loadSettings({ program: 'baton', cwd, home: root, env: {}, readProject });
  expect(load().get('model')).toBe('own');
  rmSync(join(cwd, 'baton.json'));
  symlinkSync(join(root, 'own.json'), join(cwd, 'baton.json'));
  expect(load).toThrow(`it is not in the folder ${cwd}`);
  expect(projectReader({ ...isolation, mode: 'none' })).toBeUndefined();
});
