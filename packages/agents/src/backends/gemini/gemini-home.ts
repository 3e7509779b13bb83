import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { object, string } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';
import { readOptionalJson } from '@baton/engine/kit/json-file';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder in which Gemini CLI keeps its settings, sessions and login. */
export function geminiFolder(env: Environment): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini');
}

/** The user's settings of Gemini CLI, which have the MCP servers. */
export function geminiSettingsPath(env: Environment): string {
  return join(geminiFolder(env), 'settings.json');
}

/** Looks for Gemini CLI's credentials. */
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

/**
 * Without an interface, Gemini CLI does not ask how to log in; with a custom base URL, the login method must be set.
 */
export function geminiProblems({ env }: Pick<Surroundings, 'env'>): ErrorInfo[] {
  if (!env.GOOGLE_GEMINI_BASE_URL || selectedAuth(env) !== undefined) return [];
  const message =
    'Gemini CLI does not know how to log in to the address in GOOGLE_GEMINI_BASE_URL.';
  const hint = `Put {"security":{"auth":{"selectedType":"gemini-api-key"}}} into ${join(geminiFolder(env), 'settings.json')}.`;
  return [errorInfo('auth_missing', message, { hint })];
}

/** Returns the login method to request, if the user chose none and there is a key. */
export function authMethod(env: Environment): string | undefined {
  if (selectedAuth(env) !== undefined) return undefined;
  return env.GEMINI_API_KEY ? 'gemini-api-key' : undefined;
}

function selectedAuth(env: Environment): string | undefined {
  const settings = readOptionalJson(join(geminiFolder(env), 'settings.json'));
  return string(object(object(settings.security).auth).selectedType);
}

/** Returns the user's trust decision in Gemini CLI for a folder; the nearest folder with a decision counts. */
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
