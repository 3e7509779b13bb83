import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

const RECORDINGS = join(import.meta.dirname, '../packages/agents/fixtures');
const project = inject('project');

const AGENT = `
import { loadBackend } from '@baton/runtime';

async function main(name = '') {
  const agent = await loadBackend(name);
  const run = agent.run({ prompt: 'Hello.', transport: name === 'demo' ? 'live' : 'print' });
  const { outcome, output, error } = await run.collect();
  console.log(JSON.stringify({ outcome, output, error }));
}
main(process.argv[2]);
`;
const CLIENT = `
import { BatonClient } from '@baton/client';

const client = new BatonClient({ url: 'http://127.0.0.1:9', token: 'none' });
client.close();
console.log(JSON.stringify(typeof client.launch));
`;
/** Banner for esbuild's ES modules from docs/library.md, because a library of the client is CommonJS. */
const BANNER =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

type Format = 'esm' | 'cjs';
type Bundler = (entry: string, file: string, format: Format) => Promise<unknown>;

const withEsbuild: Bundler = (entry, outfile, format) => {
  const banner = { js: format === 'esm' ? BANNER : '' };
  const options = { bundle: true, platform: 'node', logLevel: 'error' } as const;
  return build({ ...options, entryPoints: [entry], format, outfile, banner });
};

const withRolldown: Bundler = async (entry, file, format) => {
  const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' });
  await bundle.write({ file, format, codeSplitting: false });
};

describe.each([
  ['esbuild', 'esm', withEsbuild],
  ['esbuild', 'cjs', withEsbuild],
  ['rolldown', 'esm', withRolldown],
  ['rolldown', 'cjs', withRolldown],
] as const)('a program that %s has bundled as %s', (name, format, bundle) => {
  /** Outside the project, so that only the bundles are there. */
  const folder = mkdtempSync(join(tmpdir(), 'baton-bundle-'));
  const bundleOf = (program: string) =>
    join(folder, `${program}.${format === 'esm' ? 'mjs' : 'cjs'}`);

  beforeAll(async () => {
    for (const [program, source] of Object.entries({ agent: AGENT, client: CLIENT })) {
      const entry = join(project, `${name}-${format}-${program}.ts`);
      writeFileSync(entry, source);
      await bundle(entry, bundleOf(program), format);
      rmSync(entry);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(program: string, args: string[] = [], env: Record<string, string> = {}) {
    const { stdout, stderr } = spawnSync(process.execPath, [bundleOf(program), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...env },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  test.each([
    ['claude', 'claude/05-partial-messages'],
    ['codex', 'codex/02-tool-bypass'],
  ])('runs %s', (agent, recording) => {
    const standIn = join(folder, agent);
    const stdout = join(RECORDINGS, recording, 'stdout');
    writeFileSync(standIn, `#!/bin/sh\ncat >/dev/null\ncat '${stdout}'\n`, { mode: 0o755 });
    const { outcome, output } = run('agent', [agent], {
      [`BATON_${agent.toUpperCase()}_BIN`]: standIn,
    });
    expect([outcome, output]).toEqual(['done', expect.stringMatching(/./)]);
  });

  test('says that it has no demo agent, and what to do', () => {
    const { outcome, error } = run('agent', ['demo']);
    expect([outcome, error.code]).toEqual(['failed', 'backend_not_found']);
    expect(error.message).toBe('The demo agent is not part of this bundle.');
    expect(error.hint).toContain('Mark "@baton/runtime" as external');
  });

  test('has the client', () => {
    expect(run('client')).toBe('function');
  });
});
