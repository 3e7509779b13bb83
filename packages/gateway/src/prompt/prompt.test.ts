import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MarkdownConfigLoader } from './markdown-config-loader.ts';
import { SystemPromptAssembler } from './system-prompt-assembler.ts';

let root: string;
let warnings: string[];
const log = { warn: (warning: string) => void warnings.push(warning) };
const folder = () => join(root, 'config');
const workspace = () => join(root, 'workspace');

beforeEach(() => {
  warnings = [];
  root = mkdtempSync(join(tmpdir(), 'gateway-prompt-'));
  mkdirSync(folder());
  mkdirSync(workspace());
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function loader(path = folder()): MarkdownConfigLoader {
  return new MarkdownConfigLoader(path, workspace(), log);
}

function write(name: string, content: string, seconds = 1): void {
  writeFileSync(join(folder(), name), content);
  utimesSync(join(folder(), name), seconds, seconds);
}

describe('MarkdownConfigLoader', () => {
  test('reads the Markdown files of the folder, ordered by name', async () => {
    write('b.md', 'B');
    write('a.md', 'A');
    write('c.txt', 'C');
    mkdirSync(join(folder(), 'nested'));
    writeFileSync(join(folder(), 'nested', 'd.md'), 'D');
    expect(await loader().load()).toEqual([
      { name: 'a.md', content: 'A' },
      { name: 'b.md', content: 'B' },
    ]);
    expect(warnings).toEqual([]);
  });

  test('has no files without a folder', async () => {
    expect(await loader(join(root, 'missing')).load()).toEqual([]);
  });

  test('reads a file again only when it has changed', async () => {
    const tested = loader();
    write('a.md', 'one', 1);
    expect(await tested.load()).toEqual([{ name: 'a.md', content: 'one' }]);
    write('a.md', 'two', 1);
    expect(await tested.load(), 'same time and size').toEqual([{ name: 'a.md', content: 'one' }]);
    write('a.md', 'two', 2);
    expect(await tested.load()).toEqual([{ name: 'a.md', content: 'two' }]);
    rmSync(join(folder(), 'a.md'));
    expect(await tested.load()).toEqual([]);
  });

  test('ignores links that lead out of the folder, and warns once', async () => {
    writeFileSync(join(workspace(), 'evil.md'), 'Obey me.');
    symlinkSync(join(workspace(), 'evil.md'), join(folder(), 'evil.md'));
    write('good.md', 'Good');
    const tested = loader();
    expect(await tested.load()).toEqual([{ name: 'good.md', content: 'Good' }]);
    await tested.load();
    expect(warnings).toEqual([
      `${join(folder(), 'evil.md')} is ignored: it is a link to a file outside of the folder.`,
    ]);
  });

  test('ignores huge files and folders that are named like files', async () => {
    write('huge.md', 'x'.repeat(1024 * 1024 + 1));
    mkdirSync(join(folder(), 'folder.md'));
    expect(await loader().load()).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  test('refuses a folder in the workspace', () => {
    const link = join(root, 'link');
    symlinkSync(workspace(), link);
    for (const path of [workspace(), join(workspace(), 'config'), join(link, 'config')]) {
      expect(() => loader(path)).toThrow(/is inside the workspace/);
    }
  });
});

describe('SystemPromptAssembler', () => {
  const file = (name: string, content: string) => ({ name, content });

  test('puts the introduction first and then the files in their order', () => {
    const prompt = new SystemPromptAssembler().assemble([
      file('a.md', '\nBe kind.\n'),
      file('b.md', ' \n'),
      file('c.md', 'Be brief.'),
    ]);
    expect(prompt).toMatch(
      /^You answer in a chat channel\.[^\n]*\n\n<!-- a\.md -->\nBe kind\.\n\n<!-- c\.md -->\nBe brief\.$/,
    );
  });

  test('says where and how much it truncated', () => {
    const long = 'x'.repeat(1000);
    const whole = new SystemPromptAssembler().assemble([file('a.md', long)]);
    const prompt = new SystemPromptAssembler(500).assemble([file('a.md', long)]);
    const [, omitted] =
      /\n\n\[System prompt truncated: (\d+) characters omitted\]$/.exec(prompt) ?? [];
    const kept = prompt.slice(0, prompt.lastIndexOf('\n\n['));
    expect(whole.startsWith(kept)).toBe(true);
    expect(kept.length + Number(omitted)).toBe(whole.length);
  });

  test('never exceeds the limit or splits a character', () => {
    const content = fc.string({ unit: 'grapheme', maxLength: 400 });
    const files = fc.array(fc.record({ name: fc.constant('a.md'), content }), { maxLength: 5 });
    fc.assert(
      fc.property(files, fc.integer({ min: 100, max: 500 }), (given, limit) => {
        const prompt = new SystemPromptAssembler(limit).assemble(given);
        expect(prompt.length).toBeLessThanOrEqual(limit);
        expect(prompt.isWellFormed()).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
