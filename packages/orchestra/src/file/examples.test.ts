import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaCheck } from '@baton/engine/emulate/schema-check';
import { expect, test } from 'vitest';
import { outlineOf } from '../outline.ts';
import { loadChains } from './load-chains.ts';
import { parseSource } from './source.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FORGE = join(ROOT, 'packages/orchestra/fixtures/forge');
const EXAMPLES = globSync('examples/chains/*.{json,jsonc,yaml}', { cwd: ROOT });
const FILES = [...EXAMPLES.map((path) => join(ROOT, path)), join(FORGE, 'forge/orch/chains.json')];
const SCHEMA = JSON.parse(readFileSync(join(ROOT, 'schemas/chains.schema.json'), 'utf8'));

test('there are examples in all formats', () => {
  expect(EXAMPLES.map((path) => path.split('.').at(-1)).sort()).toEqual(['json', 'jsonc', 'yaml']);
});

test.each(FILES)('%s loads and matches the published schema', async (path) => {
  const loaded = loadChains({ file: path, cwd: ROOT, env: {} });
  expect(loaded.chains.length).toBeGreaterThan(0);
  for (const chain of loaded.chains) expect(outlineOf(chain).length).toBeGreaterThan(0);
  const { value } = parseSource(path, readFileSync(path, 'utf8'));
  const check = await schemaCheck(SCHEMA);
  const verdict = { outcome: 'done', output: '', structured: value } as const;
  expect(check(verdict)).toEqual({ ok: true, value });
});

test.each([
  'bad-mode.json',
  'condition-without-test.json',
  'empty-steps.yaml',
  'endless-loop.yaml',
  'no-chains.json',
  'two-kinds.json',
  'unknown-key.jsonc',
  'unknown-step-kind.yaml',
  'wrong-types.json',
])('the published schema rejects %s', async (name) => {
  const path = join(ROOT, 'packages/orchestra/fixtures/broken', name);
  const { value } = parseSource(path, readFileSync(path, 'utf8'));
  const check = await schemaCheck(SCHEMA);
  expect(check({ outcome: 'done', output: '', structured: value }).ok).toBe(false);
});

test('a file of the older program loads unchanged', () => {
  const { folder, chain } = loadChains({ cwd: FORGE, env: {} });
  expect(folder).toBe(FORGE);
  expect(chain('build').steps).toMatchObject([
    {
      id: 'planner',
      backend: 'claude-cli',
      prompt: 'Plan the next step.',
      options: {
        systemPrompt: 'You plan the work of others.\n',
        model: 'opus',
        tools: { allowed: ['Read', 'Grep'] },
      },
    },
    {
      id: 'coder',
      backend: 'codex-cli',
      iterations: 5,
      prompt: expect.stringContaining('ORCHESTRA_COMPLETE'),
      options: {
        systemPrompt: 'Write small commits.',
        maxTurns: 30,
        tools: { disallowed: ['WebSearch'] },
      },
    },
    {
      id: 'binary',
      command: [join(FORGE, 'forge/orch/agents/binary'), '--print', '--strict'],
      prompt: 'Check the result.',
    },
  ]);
  expect(chain('on-codex').steps).toMatchObject([
    { backend: 'codex-cli', prompt: 'Do the whole task, then print ORCHESTRA_COMPLETE.' },
  ]);
});
