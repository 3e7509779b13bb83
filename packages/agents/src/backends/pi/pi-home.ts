import { closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { type Json, object, string } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';
import { readOptionalJson } from '@baton/engine/kit/json-file';
import { BatonError } from '@baton/protocol/values';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables from which Pi takes the keys of the models that it knows by itself. */
const PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'CEREBRAS_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'MISTRAL_API_KEY',
  'ZAI_API_KEY',
];

const DEFAULT_FOLDER = '~/.flux/pi-agent';

/** The folder with the models, keys, settings and sessions of Pi. */
export function piAgentDir(env: Environment): string {
  const named = env.FLUX_PI_AGENT_DIR || env.BATON_PI_AGENT_DIR || DEFAULT_FOLDER;
  return resolve(named.replace(/^~(?=\/|$)/, env.HOME || homeFolder()));
}

function modelsFile(env: Environment): string {
  return join(piAgentDir(env), 'models.json');
}

/** The preflight check: Pi has no models without this file. */
export function modelsProblem(env: Environment): BatonError | undefined {
  const file = modelsFile(env);
  try {
    // A folder of that name can be accessed but not read.
    closeSync(openSync(file, 'r'));
    if (statSync(file).isFile()) return undefined;
    throw new Error('It is not a file.');
  } catch (cause) {
    return new BatonError('config_invalid', `Pi's models.json is not readable: ${file}`, {
      hint: 'Create it, or set FLUX_PI_AGENT_DIR to the folder that has it.',
      cause,
    });
  }
}

/** Looks for a key: in the variable of a provider, in models.json, or as a login in auth.json. */
export function piCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  const holdsKey = ({ providers }: Json) => keysIn(providers).length > 0;
  const found = searchCredentials(
    [
      ...PROVIDER_KEYS.map((variable) => ({ variable })),
      { file: modelsFile(env), holdsLogin: holdsKey },
      {
        file: join(piAgentDir(env), 'auth.json'),
        holdsLogin: (logins) => Object.keys(logins).length > 0,
      },
    ],
    env,
  );
  // There are more providers, with other variables.
  return found.credentials === 'missing' ? { credentials: 'unknown' } : found;
}

/** The variables that hold the keys of providers: `apiKey` of one in models.json may name another. */
export function piKeyVariables(env: Environment): string[] {
  const { providers } = readOptionalJson(modelsFile(env));
  const named = keysIn(providers)
    .map((key) => key.replace(/^\$\{?|\}$/g, ''))
    .filter((key) => /^[A-Z][A-Z0-9_]*$/.test(key));
  return [...new Set([...PROVIDER_KEYS, ...named])];
}

function keysIn(providers: unknown): string[] {
  return Object.values(object(providers)).flatMap((each) => string(object(each).apiKey) ?? []);
}

/** Returns the folder in which Pi keeps the sessions of a working directory. */
export function sessionsFolder(agentDir: string, cwd: string): string {
  const name = cwd.replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-');
  return join(agentDir, 'sessions', `--${name}--`);
}

/** The file of a session, if Pi has it. */
export function findSession(folder: string, sessionId: string): string | undefined {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return undefined;
  }
  const name = names.sort().findLast((each) => each.endsWith(`_${sessionId}.jsonl`));
  return name === undefined ? undefined : join(folder, name);
}
