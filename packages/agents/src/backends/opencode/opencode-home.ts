import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json, object } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of the providers that OpenCode takes from the environment most often; it knows many more. */
export const KEY_VARIABLES: readonly string[] = [
  'OPENCODE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'MISTRAL_API_KEY',
];

/** Folders in which OpenCode keeps its settings, its sessions and login, and its cache. */
export function openCodeFolders(env: Environment) {
  const home = env.HOME || homedir();
  const folder = (variable: string | undefined, fallback: string) =>
    join(variable || join(home, fallback), 'opencode');
  return {
    config: folder(env.XDG_CONFIG_HOME, '.config'),
    data: folder(env.XDG_DATA_HOME, '.local/share'),
    state: folder(env.XDG_STATE_HOME, '.local/state'),
    cache: folder(env.XDG_CACHE_HOME, '.cache'),
  };
}

/** The user's configuration of OpenCode: of two files, the one that takes precedence. */
export function openCodeConfigPath(env: Environment): string {
  const { config } = openCodeFolders(env);
  const commented = join(config, 'opencode.jsonc');
  return existsSync(commented) ? commented : join(config, 'opencode.json');
}

/** Looks for OpenCode's credentials. Without any, it still has the free models of its maker. */
export function openCodeCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  const { config, data } = openCodeFolders(env);
  const hasEntries = (content: Json) => Object.keys(content).length > 0;
  const hasProvider = ({ provider }: Json) => Object.values(object(provider)).some(isObject);
  const found = searchCredentials(
    [
      { file: join(data, 'auth.json'), holdsLogin: hasEntries },
      ...KEY_VARIABLES.map((variable) => ({ variable })),
      ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => ({
        file: join(config, name),
        holdsLogin: hasProvider,
      })),
    ],
    env,
  );
  return found.credentials === 'missing' ? { credentials: 'unknown' } : found;
}
