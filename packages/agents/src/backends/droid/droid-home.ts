import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { array, isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { hasSystemPrompt } from '@baton/engine/emulate/system-prompt';
import { searchCredentials } from '@baton/engine/kit/credentials';
import { BatonError } from '@baton/protocol/values';
import { type DroidTokens, notedTokens } from './stream-json.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SETTINGS_FILES = ['settings.json', 'settings.local.json'];

/** Folder in which Droid keeps its settings, sessions and login. */
export function droidFolder(env: Environment): string {
  return join(env.FACTORY_HOME_OVERRIDE || env.HOME || homedir(), '.factory');
}

/** The file with the user's MCP servers. */
export function droidMcpPath(env: Environment): string {
  return join(droidFolder(env), 'mcp.json');
}

/** Looks for Droid's credentials; a model of the user's own needs no account at Factory. */
export function droidCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  const folder = droidFolder(env);
  const holdsLogin = (settings: Json) => array(settings.customModels).length > 0;
  return searchCredentials(
    [
      { variable: 'FACTORY_API_KEY' },
      ...['auth.v2.file', 'auth.v2.keyring', 'auth.encrypted'].map((name) => ({
        file: join(folder, name),
      })),
      ...SETTINGS_FILES.map((name) => ({ file: join(folder, name), holdsLogin })),
    ],
    env,
  );
}

/**
 * Rejects a session that Droid does not have, because Droid would start a new one under its id, and a session of
 * another folder, because Droid would continue there.
 */
export function checkSession(
  sessionId: string,
  { env, cwd }: Pick<ResolvedOptions, 'env' | 'cwd'>,
): void {
  const file = sessionFile(`${sessionId}.jsonl`, env);
  if (file === undefined) {
    throw new BatonError('session_not_found', `Droid has no session ${sessionId}.`);
  }
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1);
  const folder = string(object(parseJson(first)).cwd);
  if (folder === undefined || folder === realpathSync(cwd)) return;
  throw new BatonError('session_not_found', otherFolder(sessionId, folder), {
    hint: 'Resume the session in that folder.',
  });
}

/** Says that a session belongs elsewhere. */
export function otherFolder(sessionId: string, folder: string): string {
  return `Droid's session ${sessionId} belongs to another folder: ${folder}`;
}

/** Returns the tokens of a session as Droid recorded them. */
export function earlierTokens(sessionId: string, env: Environment): DroidTokens | 'unknown' {
  const file = sessionFile(`${sessionId}.settings.json`, env);
  const usage = file === undefined ? {} : object(readSettings(file).tokenUsage);
  return notedTokens(usage) ?? 'unknown';
}

/** A session keeps the system prompt that it began with, whatever it is resumed with. */
export function lacksSystemPrompt({ systemPrompt, resume, env }: ResolvedOptions): boolean {
  if (!systemPrompt || !resume) return false;
  const files = ['jsonl', 'settings.json'].flatMap(
    (extension) => sessionFile(`${resume}.${extension}`, env) ?? [],
  );
  return !hasSystemPrompt(files, systemPrompt);
}

function sessionFile(name: string, env: Environment): string | undefined {
  if (/[^\w.-]/.test(name)) return undefined;
  const sessions = join(droidFolder(env), 'sessions');
  return globSync([join(sessions, name), join(sessions, '*', name)])[0];
}

/** The commands that settings of the user or of the folder let pass unasked. */
export function allowedCommands({ env, cwd, trust }: ResolvedOptions): string[] {
  const folders = [droidFolder(env), ...trust.settings.map((path) => join(cwd, path))];
  const files = folders.flatMap((folder) => SETTINGS_FILES.map((name) => join(folder, name)));
  return files
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const { commandAllowlist } = readSettings(file);
      return array(commandAllowlist).flatMap((command) => string(command) ?? []);
    });
}

/** Reads settings as Droid does: with comments, and commas behind the last value. */
function readSettings(file: string): Json {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1');
  const settings = text.trim() === '' ? {} : parseJson(text);
  if (isObject(settings)) return settings;
  throw new BatonError('config_invalid', `The settings of Droid cannot be read: ${file}`);
}
