import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codexConfig } from './codex-home.ts';
import { toml } from './toml.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The setting that keeps `codex exec` from writing into the user's config.toml.
 *
 * With write access in a git repository it would note there that the folder is trusted, for ever and
 * for every later use. What the user has decided about the folder is left alone: then Codex writes nothing.
 */
export function trustSetting(cwd: string, env: Environment): string[] {
  const config = codexConfig(env);
  const folders = [...new Set([cwd, realpathSync(cwd)])];
  if (folders.some((folder) => isDecided(config, folder))) return [];
  const entries = folders.map((folder) => [folder, { trust_level: 'untrusted' }]);
  return [`projects=${toml(Object.fromEntries(entries))}`];
}

function isDecided(config: string, folder: string): boolean {
  if (config.includes(`"${folder}"`) || config.includes(`'${folder}'`)) return true;
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, '.git'))) return false;
  return isDecided(config, parent);
}
