import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { CodeBlock } from './docs-blocks.ts';

const ROOT = join(import.meta.dirname, '..');
/** Inside the repository, so that imports of the packages are found. */
const SCRATCH = join(ROOT, '.cache/docs');

export type BlockResult = { exit: number | null; output: string };

/** Runs a block of the documentation as its reader would, in a folder and a home of its own. */
export async function runBlock(
  block: CodeBlock,
  env: Readonly<Record<string, string>> = {},
): Promise<BlockResult> {
  mkdirSync(SCRATCH, { recursive: true });
  const folder = mkdtempSync(join(SCRATCH, 'block-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const baton = join(bin, 'baton');
  writeFileSync(baton, `#!/bin/sh\nexec "${process.execPath}" "${inject('baton')}" "$@"\n`);
  chmodSync(baton, 0o755);
  const work = join(folder, 'work');
  mkdirSync(work);
  const file = join(work, block.language === 'ts' ? 'example.ts' : 'example.sh');
  writeFileSync(file, block.language === 'ts' ? block.code : `set -e\n${block.code}`);
  const [command, args] = block.language === 'ts' ? [process.execPath, [file]] : ['bash', [file]];
  try {
    return await execute(command, args, work, {
      ...process.env,
      HOME: join(folder, 'home'),
      BATON_DEMO_PACE: '0',
      ...env,
      PATH: `${bin}:${join(process.execPath, '..')}:${env.PATH ?? process.env.PATH}`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function execute(
  file: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<BlockResult> {
  const { promise, resolve } = Promise.withResolvers<BlockResult>();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.once('close', (exit) => resolve({ exit, output }));
  return promise;
}
