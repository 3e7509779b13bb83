import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorInfo, errorInfo } from '@baton/protocol';
import { homeFolder } from '../../home-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which Codex keeps its configuration, login and threads. */
export function codexHome(env: Environment): string {
  return env.CODEX_HOME || join(env.HOME ?? homeFolder(), '.codex');
}

/** What the user's config.toml says; empty when there is none. */
export function codexConfig(env: Environment): string {
  try {
    return readFileSync(join(codexHome(env), 'config.toml'), 'utf8');
  } catch {
    return '';
  }
}

/** Whether a login is kept in a file. */
export function hasLogin(env: Environment): boolean {
  return existsSync(join(codexHome(env), 'auth.json'));
}

/** Codex makes its usual folder itself, but refuses to start when CODEX_HOME leads nowhere. */
export function codexHomeProblems(env: Environment): ErrorInfo[] {
  const named = env.CODEX_HOME;
  if (!named || statSync(named, { throwIfNoEntry: false })?.isDirectory()) return [];
  const message = `CODEX_HOME is not a directory: ${named}`;
  return [errorInfo('config_invalid', message, { hint: 'Create it or unset CODEX_HOME.' })];
}
