import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Surroundings } from '../../define-backend.ts';
import { codexConfig } from './codex-home.ts';
import { toml } from './toml.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The setting that tells Codex for one run whether it trusts a folder; nothing is written into the user's config.toml. */
export function trustSetting(cwd: string, trusted: boolean): string {
  const folders = [...new Set([cwd, realpathSync(cwd), ...repositoriesOf(realpathSync(cwd))])];
  const level = { trust_level: trusted ? 'trusted' : 'untrusted' };
  return `projects=${toml(Object.fromEntries(folders.map((folder) => [folder, level])))}`;
}

/** Whether the user's config.toml says anything about a folder, so that Codex asks and writes nothing. */
export function isDecided(cwd: string, env: Environment): boolean {
  const config = codexConfig(env);
  return [...new Set([cwd, realpathSync(cwd)])].some((folder) =>
    levelsAround(folder).some((each) => isNamed(config, each)),
  );
}

/** Whether somebody told Codex itself to trust a folder, or the root of its repository; nothing when neither way. */
export function codexTrusts({ env, cwd }: Surroundings): boolean | undefined {
  const config = codexConfig(env);
  const level = levelsAround(realpathSync(cwd))
    .map((folder) => levelOf(config, folder))
    .find((each) => each !== undefined);
  return level === undefined ? undefined : level === 'trusted';
}

/** A folder and those around it, up to the root of its repository. */
function levelsAround(folder: string): string[] {
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, '.git'))) return [folder];
  return [folder, ...levelsAround(parent)];
}

function repositoriesOf(folder: string): string[] {
  return levelsAround(folder).filter((each) => existsSync(join(each, '.git')));
}

function isNamed(config: string, folder: string): boolean {
  return config.includes(`"${folder}"`) || config.includes(`'${folder}'`);
}

/** Reads a table `[projects."/folder"]`, the form in which Codex itself writes it. */
function levelOf(config: string, folder: string): string | undefined {
  const tables = config.split(/^\s*(?=\[)/m);
  const table = tables.find((each) => {
    const [head = ''] = each.split('\n');
    return head.startsWith('[projects.') && isNamed(head, folder);
  });
  return table && /^\s*trust_level\s*=\s*["'](\w+)["']/m.exec(table)?.[1];
}
