import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { type ConfigKind, configSchema } from './config-schema.ts';
import { loadSettings } from './load-settings.ts';
import { SETTING_NAMES } from './setting-table.ts';

const ajv = new Ajv2020({ strict: true });
const validate = {
  project: ajv.compile(configSchema('project')),
  user: ajv.compile(configSchema('user')),
};

/** Values of every type, and texts that some setting takes and others do not. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, {}, [], [1], ['a'], ['a', null]],
  ...[-1, 0, 1, 2.5, 25, 2 ** 53],
  ...[
    '',
    ' ',
    'a',
    'a,b',
    '0',
    '00',
    ' 7 ',
    '007',
    '2.5',
    '.5',
    '0.0',
    '-1',
    '+5',
    '1e',
    '1e3',
    '5m',
    '5 m',
  ],
  ...['5x', '90s', '1.5h', 'ms', 'true', 'True', 'OFF', 'no', 'maybe'],
  ...['ask', 'auto', 'allow-all', 'Auto'],
  ...['claude=/opt/claude', 'claude=/a, codex = /b', 'claude', '=/a', 'claude=', 'claude=/a,'],
  ...[{ claude: '/opt/claude' }, { claude: 1 }, { claude: '' }, { '': '/a' }],
];

/** A home and a project with nothing in them, and what Baton says about a configuration file. */
function world() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'config-schema-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  mkdirSync(join(home, '.baton'));
  const files = { project: join(cwd, 'baton.json'), user: join(home, '.baton/config.json') };
  return (kind: ConfigKind, content: object): boolean => {
    writeFileSync(files[kind], JSON.stringify(content));
    try {
      loadSettings({ program: 'baton', cwd, home, env: {} });
      return true;
    } catch (error) {
      if (BatonError.is(error)) return false;
      throw error;
    } finally {
      rmSync(files[kind]);
    }
  };
}

test.each(['project', 'user'] as const)(
  'the schema of a %s file accepts exactly the values that Baton takes',
  (kind) => {
    const takes = world();
    // What a user says of their own agents is checked for each agent, so that others work on.
    for (const name of SETTING_NAMES.filter((each) => each !== 'agents')) {
      for (const value of VALUES) {
        const content = { [name]: value };
        expect(validate[kind](content), JSON.stringify(content)).toBe(takes(kind, content));
      }
    }
  },
);

test('both schemas accept a file that names its schema', () => {
  const content = { $schema: './schemas/baton.schema.json', permissionMode: 'auto', timeout: '5m' };
  expect([validate.project(content), validate.user(content)]).toEqual([true, true]);
});

test('both schemas refuse a setting that does not exist', () => {
  const content = { modle: 'opus' };
  expect([validate.project(content), validate.user(content)]).toEqual([false, false]);
});

test('only a user may name programs, allow tools or allow everything', () => {
  const values = [
    { binaries: { claude: '/opt/claude' } },
    { allowedTools: ['Bash'] },
    { permissionMode: 'allow-all' },
  ];
  expect(values.map((content) => validate.project(content))).toEqual([false, false, false]);
  expect(values.map((content) => validate.user(content))).toEqual([true, true, true]);
});
