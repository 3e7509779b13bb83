import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BatonError } from '@baton/protocol';

/** Folders with the chains file of a project, relative to the project folder. */
const FOLDERS = ['.', 'forge/orch'];
const NAMES = ['chains.json', 'chains.jsonc', 'chains.yaml', 'chains.yml'];

/** The chains file of a folder, if there is one. */
export function chainsFileIn(cwd: string): string | undefined {
  const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => resolve(cwd, folder, name)));
  return paths.find((path) => existsSync(path));
}

/** The chains file of a folder, or the given one. */
export function findChainsFile(file: string | undefined, cwd: string): string {
  if (file !== undefined) return resolve(cwd, file);
  const found = chainsFileIn(cwd);
  if (found !== undefined) return found;
  throw new BatonError('config_invalid', `No chains file in ${resolve(cwd)}.`, {
    hint: `Create ${NAMES.join(', ')} or ${FOLDERS[1]}/${NAMES[0]}, or pass its path with --file.`,
  });
}

/** The folder of the project that a chains file belongs to: the agents of its chains work there. */
export function projectFolder(path: string): string {
  const parts = resolve(path, '..').split('/');
  const isNested = parts.slice(-2).join('/') === FOLDERS[1];
  return isNested ? resolve(path, '../../..') : resolve(path, '..');
}
