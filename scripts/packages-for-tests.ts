import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');
/** Install command in docs/library.md. */
const INSTALL = /^npm install (?!-g).*\.tgz$/m;

declare module 'vitest' {
  interface ProvidedContext {
    /** A project outside the clone with the packages installed, and otherwise only the types of Node. */
    project: string;
  }
}

/** Builds the packages, and installs them once for all tests as described in docs/library.md. */
export default async function setup(vitest: TestProject): Promise<() => void> {
  execFileSync(process.execPath, ['scripts/build/main.ts'], { cwd: ROOT, stdio: 'inherit' });
  const project = mkdtempSync(join(tmpdir(), 'baton-project-'));
  const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
  const command = INSTALL.exec(page)?.[0].replace('<clone>', ROOT);
  if (!command) throw new Error('docs/library.md does not say how the packages are installed.');
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline'].join(' ');
  const types = `@types/node@${versionOf('@types/node')}`;
  execFileSync('sh', ['-ec', `${command} ${flags}; npm install ${types} ${flags}`], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  vitest.provide('project', project);
  vitest.provide('baton', join(project, 'node_modules/@baton/cli/main.js'));
  return () => rmSync(project, { recursive: true, force: true });
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** The tarballs of the public packages. */
export function tarballs(): string[] {
  return globSync(join(ROOT, 'dist/*.tgz')).sort();
}
