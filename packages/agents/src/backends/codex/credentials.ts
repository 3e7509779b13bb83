import type { Credentials } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';
import { codexConfig, hasLogin, loginFile } from './codex-home.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold a key of OpenAI, the one that counts first. */
const KEY_VARIABLES = ['CODEX_API_KEY', 'OPENAI_API_KEY'];

/** Providers on the own machine, which want no key. */
const LOCAL_PROVIDERS = new Set(['ollama', 'lmstudio', 'oss']);

/** Looks for what Codex would log in with. */
export function codexCredentials({ env }: { env: Environment }): Credentials {
  const config = codexConfig(env);
  const provider = providerOf(config);
  if (provider !== undefined) return providerCredentials(config, provider, env);
  const places = [...KEY_VARIABLES.map((variable) => ({ variable })), loginFile(env)];
  const found = searchCredentials(places, env);
  // The login may be in the keyring of the system, where it is not looked for.
  const mayBeInKeyring = found.credentials === 'missing' && keepsLoginElsewhere(config);
  return mayBeInKeyring ? { credentials: 'unknown' } : found;
}

/** The variables that hold secrets of OpenAI, or of the provider that config.toml chooses instead. */
export function codexKeyVariables(env: Environment): readonly string[] {
  const config = codexConfig(env);
  const provider = providerOf(config);
  const own = provider === undefined ? undefined : keyVariable(config, provider);
  return [...KEY_VARIABLES, ...(own === undefined ? [] : [own])];
}

/**
 * The API key in the environment for a run to use. Codex itself takes CODEX_API_KEY only in
 * `exec` and OPENAI_API_KEY nowhere, so Baton hands it over; a login of the user wins over OPENAI_API_KEY.
 */
export function apiKey(env: Environment): string | undefined {
  const config = codexConfig(env);
  if (providerOf(config) !== undefined) return undefined;
  if (env.CODEX_API_KEY) return env.CODEX_API_KEY;
  if (hasLogin(env) || keepsLoginElsewhere(config)) return undefined;
  return env.OPENAI_API_KEY || undefined;
}

function providerCredentials(config: string, provider: string, env: Environment): Credentials {
  if (LOCAL_PROVIDERS.has(provider)) return { credentials: 'not_needed' };
  const variable = keyVariable(config, provider);
  if (variable === undefined) return { credentials: 'unknown' };
  if (!env[variable]) return { credentials: 'missing' };
  return { credentials: 'found', credentialSource: variable };
}

/** The provider that config.toml chooses instead of OpenAI. */
function providerOf(config: string): string | undefined {
  const top = config.split(/^\s*\[/m)[0] ?? '';
  const provider = /^\s*model_provider\s*=\s*["']([^"']*)["']/m.exec(top)?.[1];
  return provider === 'openai' ? undefined : provider;
}

function keyVariable(config: string, provider: string): string | undefined {
  const table = config
    .split(/^\s*\[/m)
    .find((part) => part.replaceAll(/["']/g, '').startsWith(`model_providers.${provider}]`));
  return table && /^\s*env_key\s*=\s*["']([^"']*)["']/m.exec(table)?.[1];
}

function keepsLoginElsewhere(config: string): boolean {
  return /^\s*cli_auth_credentials_store\s*=/m.test(config);
}
