import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../testbed/.cache/drift', import.meta.url));

/** Release in the registry. */
export type Published = { version: string; deprecated?: string | undefined };

/** Asks the registry for a release of a package, the newest unless a version is given. */
export async function published(name: string, version = 'latest'): Promise<Published> {
  const printed = await npm(['view', `${name}@${version}`, 'version', 'deprecated', '--json']);
  const found: unknown = JSON.parse(printed || 'null');
  // With one field set, npm prints its value alone.
  if (typeof found === 'string') return { version: found };
  if (!isPublished(found)) throw new Error(`The registry has no ${name}@${version}.`);
  return found;
}

/** Installs a release into a folder of its own, once, and returns its `node_modules`. */
export async function installRelease(name: string, version: string): Promise<string> {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`);
  const modules = join(folder, 'node_modules');
  const done = join(folder, 'installed');
  if (existsSync(done)) return modules;
  await mkdir(folder, { recursive: true });
  const project = {
    private: true,
    dependencies: { [name]: version },
    allowScripts: { [name]: true },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await npm(['install', '--no-audit', '--no-fund', '--no-package-lock'], folder);
  await writeFile(done, '');
  return modules;
}

/** The version of a package in a folder `node_modules`. */
export async function installedVersion(modules: string, name: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
  if (!isPublished(manifest)) throw new Error(`${name} is not installed in ${modules}.`);
  return manifest.version;
}

/** Returns the folder of the recordings of a release. */
export const recordingsOf = (agent: string, version: string) =>
  join(CACHE, 'recordings', `${agent}-${version}`);

function isPublished(value: unknown): value is Published {
  return typeof value === 'object' && value !== null && 'version' in value;
}

/** A release of which the registry lacks a part: the release itself, or a package that it depends on. */
export class IncompleteRelease extends Error {}

function npmError(args: readonly string[], words: string): Error {
  const missing = /^npm error (?:code )?(?:ETARGET|E404)\b/m.test(words);
  if (!missing) return new Error(`npm ${args.join(' ')} failed: ${words}`);
  const [, reason = words] = /^npm error (?:notarget|404) +(\S.*)$/m.exec(words) ?? [];
  return new IncompleteRelease(reason);
}

function npm(args: readonly string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...args, '--loglevel=error'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(out);
      else reject(npmError(args, err.trim() || `exit code ${code}`));
    });
  });
}
