import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The suites that run the code of the documentation; `text` blocks show something and are not run. */
export const SUITES = ['core', 'daemon', 'agents', 'stand-in'] as const;
export type Suite = (typeof SUITES)[number];

export type CodeBlock = {
  page: string;
  line: number;
  language: string;
  suite: string | undefined;
  /** The exit code that a shell block must end with. */
  exit: number;
  code: string;
};

/** All code blocks of the READMEs and the documentation. */
export function codeBlocks(): CodeBlock[] {
  const pages = ['README.md', 'CONTRIBUTING.md', 'packages/*/README.md', 'docs/**/*.md'];
  return globSync(pages, { cwd: ROOT, exclude: ['**/node_modules'] }).flatMap(blocksOf);
}

function blocksOf(page: string): CodeBlock[] {
  const source = readFileSync(join(ROOT, page), 'utf8');
  return [...source.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [language = '', suite, ...rest] = (match[1] ?? '').trim().split(/\s+/);
    const exit = rest.find((word) => word.startsWith('exit='))?.slice('exit='.length);
    return {
      page,
      line: source.slice(0, match.index).split('\n').length,
      language,
      suite,
      exit: Number(exit ?? 0),
      code: match[2] ?? '',
    };
  });
}
