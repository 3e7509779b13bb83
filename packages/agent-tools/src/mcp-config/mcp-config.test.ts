import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import type { McpServer } from '@baton/protocol';
import { diffArrays } from 'diff';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  addAgentServers,
  backendsWithMcpFile,
  copyAgentServers,
  readAgentServers,
  removeAgentServer,
} from './mcp-config.ts';

const REGISTRY = new Registry();
const FIXTURES = join(import.meta.dirname, '../../fixtures/mcp-config');
/** Real configuration files: the backend, the fixture, and where its agent has it in the home folder. */
const FILES = [
  ['claude', 'claude.json', '.claude.json'],
  ['claude', 'claude-minified.json', '.claude.json'],
  ['codex', 'codex.toml', '.codex/config.toml'],
  ['codex', 'codex-inline.toml', '.codex/config.toml'],
  ['codex', 'codex-dotted-crlf.toml', '.codex/config.toml'],
  ['codex-sdk', 'codex.toml', '.codex/config.toml'],
  ['gemini', 'gemini.json', '.gemini/settings.json'],
  ['gemini', 'gemini-none.json', '.gemini/settings.json'],
  ['opencode', 'opencode.jsonc', '.config/opencode/opencode.jsonc'],
  ['opencode', 'opencode-crlf.jsonc', '.config/opencode/opencode.jsonc'],
  ['droid', 'droid.json', '.factory/mcp.json'],
  ['amp', 'amp.json', '.config/amp/settings.json'],
  ['cursor', 'cursor.json', '.cursor/mcp.json'],
] as const;

const NEW = ['new-1', 'new-2', 'new_3'];
const STDIO: McpServer = {
  command: 'npx',
  args: ['-y', 'it\'s "here"'],
  env: { TOKEN: 'a=b\n"c"' },
};
const HTTP: McpServer = {
  type: 'http',
  url: 'https://x.example/mcp',
  headers: { Authorization: 'Bearer x' },
};

let home: string;
const env = () => ({ HOME: home });
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcp-config-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function put(path: string, content: string | Buffer): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

test('every backend with a file has a fixture', () => {
  const tested = new Set<string>(FILES.map(([backend]) => backend));
  const missing = backendsWithMcpFile(REGISTRY).filter(
    ({ id, aliases = [] }) => ![id, ...aliases].some((name) => tested.has(name)),
  );
  expect(missing).toEqual([]);
});

describe.each(FILES)('%s, %s', (backend, fixture, path) => {
  const original = readFileSync(join(FIXTURES, fixture));
  const names = async () =>
    (await readAgentServers(REGISTRY, backend, env())).servers.map(({ name }) => name);

  test('any sequence of additions and removals leaves all other bytes as they are', async () => {
    const file = put(path, original);
    const own = await names();
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom(...NEW), server: fc.constantFrom(STDIO, HTTP) }),
      fc.record({ remove: fc.constantFrom(...NEW, ...own) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        writeFileSync(file, original);
        for (const each of steps) await takeStep(file, each);
        // What was added can be removed again, and then only what was removed is missing.
        const kept = own.filter(
          (name) => !steps.some((each) => 'remove' in each && each.remove === name),
        );
        for (const name of NEW)
          if ((await names()).includes(name))
            await removeAgentServer(REGISTRY, backend, name, env());
        const after = readFileSync(file);
        expect(await names()).toEqual(kept);
        const alone = put('expected', original);
        // The first server brings the object of all servers, which stays.
        if (own.length === 0 && steps.some((each) => 'add' in each)) {
          await inCopy(alone, async (there) => {
            await addAgentServers(REGISTRY, backend, [{ name: 'new', server: HTTP }], {
              env: there,
            });
            await removeAgentServer(REGISTRY, backend, 'new', there);
          });
        }
        for (const name of own.filter((each) => !kept.includes(each))) {
          await inCopy(alone, (there) => removeAgentServer(REGISTRY, backend, name, there));
        }
        expect(withoutBlanks(after)).toBe(withoutBlanks(readFileSync(alone)));
      }),
      { numRuns: 60 },
    );
  });

  async function takeStep(
    file: string,
    step: { add: string; server: McpServer } | { remove: string },
  ): Promise<void> {
    const before = readFileSync(file, 'utf8');
    const has = await names();
    if ('add' in step) {
      if (has.includes(step.add)) return;
      await addAgentServers(REGISTRY, backend, [{ name: step.add, server: step.server }], {
        env: env(),
      });
      const { servers } = await readAgentServers(REGISTRY, backend, env());
      expect(servers.find(({ name }) => name === step.add)).toMatchObject({ server: step.server });
      expectInserted(before, readFileSync(file, 'utf8'));
      return;
    }
    if (!has.includes(step.remove)) return;
    await removeAgentServer(REGISTRY, backend, step.remove, env());
    expectInserted(readFileSync(file, 'utf8'), before);
  }

  /** Changes a file as if it were that of another user. */
  async function inCopy(file: string, change: (env: { HOME: string }) => Promise<unknown>) {
    const other = mkdtempSync(join(tmpdir(), 'mcp-config-copy-'));
    const copy = join(other, path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(file));
    await change({ HOME: other });
    writeFileSync(file, readFileSync(copy));
    rmSync(other, { recursive: true });
  }

  test('a server that is added and removed leaves no trace where there were servers', async () => {
    const file = put(path, original);
    if ((await names()).length === 0) return;
    for (const server of [STDIO, HTTP]) {
      await addAgentServers(REGISTRY, backend, [{ name: 'new', server }], { env: env() });
      expect(readFileSync(file).equals(original)).toBe(false);
      await removeAgentServer(REGISTRY, backend, 'new', env());
      expect(readFileSync(file, 'utf8')).toBe(original.toString());
    }
  });

  test('has the line breaks that it had', async () => {
    const file = put(path, original);
    await addAgentServers(REGISTRY, backend, [{ name: 'new', server: STDIO }], { env: env() });
    const text = readFileSync(file, 'utf8');
    const isWindows = original.includes('\r\n');
    expect(/\r\n/.test(text)).toBe(isWindows);
    expect(/(?<!\r)\n/.test(text)).toBe(!isWindows && text.includes('\n'));
  });

  test('its servers survive a copy to every other agent', async () => {
    put(path, original);
    const { servers } = await readAgentServers(REGISTRY, backend, env());
    for (const { id } of backendsWithMcpFile(REGISTRY)) {
      for (const { name, kind, server } of servers) {
        const other = mkdtempSync(join(tmpdir(), 'mcp-config-other-'));
        const to = { HOME: other };
        if (!server) throw new Error(`${name} was not understood.`);
        const add = addAgentServers(REGISTRY, id, [{ name, server }], { env: to });
        if (kind === 'sse' && id.startsWith('codex')) {
          await expect(add).rejects.toMatchObject({ code: 'capability_missing' });
        } else {
          await add;
          const [copy] = (await readAgentServers(REGISTRY, id, to)).servers;
          // Some agents find out by themselves what a URL speaks.
          expect({ ...copy?.server, type: '' }).toEqual({ ...server, type: '' });
        }
        rmSync(other, { recursive: true });
      }
    }
  });
});

/**
 * Checks that one text is the other one with something inserted: at most one line of it is changed, which gets a comma or
 * a further item.
 */
function expectInserted(less: string, more: string): void {
  const parts = diffArrays(less.split('\n'), more.split('\n'));
  const linesOf = (kind: 'added' | 'removed') =>
    parts.filter((part) => part[kind]).flatMap(({ value }) => value);
  const changed = linesOf('removed');
  expect(changed.length).toBeLessThanOrEqual(1);
  const added = linesOf('added').join('\n');
  let at = 0;
  for (const character of changed.join('')) {
    at = added.indexOf(character, at) + 1;
    expect(at, `lost from ${changed}`).toBeGreaterThan(0);
  }
}

/** Blanks at the end of a line, and those in an object that is empty now, were between servers. */
function withoutBlanks(bytes: Buffer): string {
  return bytes
    .toString()
    .replaceAll(/[ \t]+(?=\r?\n)/g, '')
    .replaceAll(/\{\s*\}/g, '{}');
}

test('a copy reports what the other agent does not get', async () => {
  put('.codex/config.toml', readFileSync(join(FIXTURES, 'codex.toml')));
  put('.gemini/settings.json', readFileSync(join(FIXTURES, 'gemini.json')));
  const { copied } = await copyAgentServers(
    REGISTRY,
    { from: 'gemini', to: 'claude', names: [] },
    env(),
  );
  expect(copied).toEqual([
    {
      name: 'github',
      notes: [
        'Not copied: timeout.',
        'Some values refer to variables. The other agent may read them literally.',
      ],
    },
    { name: 'events', notes: [] },
    { name: 'files', notes: ['Not copied: trust.'] },
  ]);
  await expect(
    copyAgentServers(REGISTRY, { from: 'codex', to: 'claude', names: ['github'] }, env()),
  ).rejects.toMatchObject({ code: 'conflict' });
  const again = { from: 'codex', to: 'claude', names: ['github'], replace: true };
  const { copied: replaced, backup } = await copyAgentServers(REGISTRY, again, env());
  expect(replaced[0]?.notes).toEqual(['Not copied: bearer_token_env_var, startup_timeout_sec.']);
  expect(readFileSync(String(backup), 'utf8')).toContain('GITHUB_TOKEN');
});

test.each([
  ['claude', '.claude.json', '{\n  "a": 1,\n  // no\n  "mcpServers": {}\n}', '3:3'],
  ['claude', '.claude.json', '{ "mcpServers": [] }', '1:17'],
  ['claude', '.claude.json', '{ "a": 1, }', '1:11'],
  ['gemini', '.gemini/settings.json', '{\r\n "mcpServers": {\r\n', '3:1'],
  ['droid', '.factory/mcp.json', '[]', '1:1'],
  ['droid', '.factory/mcp.json', '{ "a": 1, /* fine */ }', '1:22'],
  ['codex', '.codex/config.toml', 'model = "x"\n[mcp_servers.a\n', '3:1'],
  ['codex', '.codex/config.toml', 'a = 1\nmcp_servers = 3\n', '2:1'],
  ['codex', '.codex/config.toml', '[a]\nx = 1\nx = 2\n', '3:1'],
])('reports where a file of %s is malformed, and leaves it alone: %s %j', async (...args) => {
  const [backend, path, text, place] = args;
  const file = put(path, text);
  const change = addAgentServers(REGISTRY, backend, [{ name: 'new', server: STDIO }], {
    env: env(),
  });
  await expect(change).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file}:${place}: `),
  });
  await expect(readAgentServers(REGISTRY, backend, env())).rejects.toMatchObject({
    code: 'config_invalid',
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each(['', '\n', '\uFEFF', '{}', '{\n}\n', '// empty\n', '{ /* c */ }'])(
  'adds the first server to %j',
  async (text) => {
    const file = put('.gemini/settings.json', text);
    await addAgentServers(REGISTRY, 'gemini', [{ name: 'new', server: STDIO }], { env: env() });
    expect((await readAgentServers(REGISTRY, 'gemini', env())).servers).toMatchObject([
      { name: 'new' },
    ]);
    for (const part of text.split(/[{}\s]+/)) expect(readFileSync(file, 'utf8')).toContain(part);
  },
);

test('an agent without a file is an error that says what to do', async () => {
  await expect(readAgentServers(REGISTRY, 'demo', env())).rejects.toMatchObject({
    code: 'capability_missing',
    hint: expect.stringContaining('claude-cli'),
  });
});

test.each(['', 'a b', '../x', 'a.b', '__proto__ ', 'x'.repeat(65)])(
  'refuses the name %j',
  async (name) => {
    const change = addAgentServers(REGISTRY, 'claude', [{ name, server: STDIO }], { env: env() });
    await expect(change).rejects.toMatchObject({ code: 'usage' });
  },
);
