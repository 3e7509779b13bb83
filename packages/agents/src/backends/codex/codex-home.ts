import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { lastLine } from '@baton/config/paths/last-line';
import { object, parseJson } from '@baton/config/values/json';
import type { Surroundings } from '@baton/engine/definition/backend-entry';
import { hasSystemPrompt } from '@baton/engine/emulate/system-prompt';
import { toml } from '@baton/engine/kit/toml';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { readTokens, type Tokens } from '../../dialects/codex-jsonl/usage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which Codex keeps its configuration, login and threads. */
export function codexHome(env: Environment): string {
  return env.CODEX_HOME || join(env.HOME ?? homeFolder(), '.codex');
}

/** The user's configuration of Codex. */
export function codexConfigPath(env: Environment): string {
  return join(codexHome(env), 'config.toml');
}

/** Returns the text of the user's config.toml; empty if there is none. */
export function codexConfig(env: Environment): string {
  try {
    return readFileSync(codexConfigPath(env), 'utf8');
  } catch {
    return '';
  }
}

/** Returns the file that holds the login, unless config.toml says otherwise. */
export function loginFile(env: Environment): { file: string; source: string } {
  return { file: join(codexHome(env), 'auth.json'), source: 'auth.json' };
}

/** True if a login is stored in a file. */
export function hasLogin(env: Environment): boolean {
  return existsSync(loginFile(env).file);
}

/** Codex makes its usual folder itself, but refuses to start when CODEX_HOME leads nowhere. */
export function codexHomeProblems(env: Environment): ErrorInfo[] {
  const named = env.CODEX_HOME;
  if (!named || statSync(named, { throwIfNoEntry: false })?.isDirectory()) return [];
  const message = `CODEX_HOME is not a directory: ${named}`;
  return [errorInfo('config_invalid', message, { hint: 'Create it or unset CODEX_HOME.' })];
}

/**
 * The setting that tells Codex for one run whether it trusts a folder; nothing is written into the user's config.toml.
 */
export function trustSetting(cwd: string, trusted: boolean): string {
  const folders = [...new Set([cwd, realpathSync(cwd), ...repositoriesOf(realpathSync(cwd))])];
  const level = { trust_level: trusted ? 'trusted' : 'untrusted' };
  return `projects=${toml(Object.fromEntries(folders.map((folder) => [folder, level])))}`;
}

/** True if the user's config.toml mentions a folder: Codex then asks nothing and writes nothing. */
export function isFolderInConfig(cwd: string, env: Environment): boolean {
  const config = codexConfig(env);
  return [...new Set([cwd, realpathSync(cwd)])].some((folder) =>
    foldersUpToRepository(folder).some((each) => mentions(config, each)),
  );
}

/** True if the user told Codex itself to trust a folder or the root of its repository; undefined without a decision. */
export function codexTrusts({ env, cwd }: Surroundings): boolean | undefined {
  const config = codexConfig(env);
  const level = foldersUpToRepository(realpathSync(cwd))
    .map((folder) => trustLevel(config, folder))
    .find((each) => each !== undefined);
  return level === undefined ? undefined : level === 'trusted';
}

/** A folder and those around it, up to the root of its repository. */
function foldersUpToRepository(folder: string): string[] {
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, '.git'))) return [folder];
  return [folder, ...foldersUpToRepository(parent)];
}

function repositoriesOf(folder: string): string[] {
  return foldersUpToRepository(folder).filter((each) => existsSync(join(each, '.git')));
}

function mentions(config: string, folder: string): boolean {
  return config.includes(`"${folder}"`) || config.includes(`'${folder}'`);
}

/** Reads a table `[projects."/folder"]`, the form in which Codex itself writes it. */
function trustLevel(config: string, folder: string): string | undefined {
  const tables = config.split(/^\s*(?=\[)/m);
  const table = tables.find((each) => {
    const [head = ''] = each.split('\n');
    return head.startsWith('[projects.') && mentions(head, folder);
  });
  return table && /^\s*trust_level\s*=\s*["'](\w+)["']/m.exec(table)?.[1];
}

const DAY_MS = 86_400_000;
/** The total of a thread to which no model has answered. */
const NOTHING_YET = readTokens({});

/** Returns the tokens of a thread as Codex last recorded them; undefined if they cannot be found. */
export function earlierTokens(threadId: string, env: Environment): Tokens | undefined {
  try {
    const path = rolloutPath(threadId, env);
    return path === undefined ? undefined : lastTotal(path);
  } catch {
    return undefined;
  }
}

/** True if a thread uses this system prompt; false if the thread cannot be read. */
export function threadHasSystemPrompt(
  threadId: string,
  systemPrompt: string,
  env: Environment,
): boolean {
  const path = rolloutPath(threadId, env);
  return path !== undefined && hasSystemPrompt([path], systemPrompt);
}

/** Threads are stored by the local day of their start, which their id (a UUID of version 7) contains. */
function rolloutPath(threadId: string, env: Environment): string | undefined {
  const startedAt = Number.parseInt(threadId.replaceAll('-', '').slice(0, 12), 16);
  if (!Number.isFinite(startedAt)) return undefined;
  for (const days of [0, -1, 1]) {
    const date = new Date(startedAt + days * DAY_MS);
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
    const names = parts.map((part) => String(part).padStart(2, '0'));
    const folder = join(codexHome(env), 'sessions', ...names);
    const file = filesIn(folder).find((name) => name.endsWith(`-${threadId}.jsonl`));
    if (file) return join(folder, file);
  }
  return undefined;
}

function lastTotal(path: string): Tokens | undefined {
  const { found, isWhole } = lastLine(path, (line) =>
    line.includes('"token_count"') ? totalIn(line) : undefined,
  );
  return found ?? (isWhole ? NOTHING_YET : undefined);
}

function totalIn(line: string): Tokens | undefined {
  const { payload } = object(parseJson(line));
  const { info, type } = object(payload);
  const total = object(info).total_token_usage;
  return type === 'token_count' && total ? readTokens(total) : undefined;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
