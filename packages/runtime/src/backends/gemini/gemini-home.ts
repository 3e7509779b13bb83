import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import type { Credentials, Surroundings } from '../../definition/backend-entry.ts';
import { searchCredentials } from '../../kit/credentials.ts';
import { readOptionalJson } from '../../kit/json-file.ts';
import { object, string } from '../../normalize/json.ts';
import { isInside } from '../../paths/is-inside.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Gemini CLI keeps its settings, sessions and login. */
export function geminiFolder(env: Environment): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini');
}

/** The user's settings of Gemini CLI, which have the MCP servers. */
export function geminiSettingsPath(env: Environment): string {
  return join(geminiFolder(env), 'settings.json');
}

/** Looks for what Gemini CLI would log in with. */
export function geminiCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  return searchCredentials(
    [
      { variable: 'GEMINI_API_KEY' },
      { variable: 'GOOGLE_API_KEY' },
      { variable: 'GOOGLE_GENAI_USE_VERTEXAI' },
      { variable: 'GOOGLE_GENAI_USE_GCA' },
      { file: join(geminiFolder(env), 'oauth_creds.json') },
    ],
    env,
  );
}

/** Without an interface Gemini CLI does not ask how to log in: with a base URL of one's own it needs to be told. */
export function geminiProblems({ env }: Pick<Surroundings, 'env'>): ErrorInfo[] {
  if (!env.GOOGLE_GEMINI_BASE_URL || selectedAuth(env) !== undefined) return [];
  const message =
    'Gemini CLI does not know how to log in to the address in GOOGLE_GEMINI_BASE_URL.';
  const hint = `Put {"security":{"auth":{"selectedType":"gemini-api-key"}}} into ${join(geminiFolder(env), 'settings.json')}.`;
  return [errorInfo('auth_missing', message, { hint })];
}

/** The way to log in that a session needs to be told: the user chose none, and there is a key. */
export function authMethod(env: Environment): string | undefined {
  if (selectedAuth(env) !== undefined) return undefined;
  return env.GEMINI_API_KEY ? 'gemini-api-key' : undefined;
}

function selectedAuth(env: Environment): string | undefined {
  const settings = readOptionalJson(join(geminiFolder(env), 'settings.json'));
  return string(object(object(settings.security).auth).selectedType);
}

/** Whether Gemini CLI was told to trust a folder; the nearest folder that it was told of decides. */
export function geminiTrusts({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): boolean | undefined {
  const file =
    env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiFolder(env), 'trustedFolders.json');
  const rules = Object.entries(readOptionalJson(file)).flatMap(([folder, level]) => {
    const place = level === 'TRUST_PARENT' ? join(folder, '..') : folder;
    const applies = isInside(place, cwd, { orEqual: true });
    return applies ? [{ place, isTrusted: level !== 'DO_NOT_TRUST' }] : [];
  });
  return rules.toSorted((one, other) => other.place.length - one.place.length)[0]?.isTrusted;
}
