import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@baton/config/values/json';
import type { Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import { searchCredentials } from '@baton/engine/kit/credentials';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders in which Amp keeps its login, settings and logs. */
export function ampFolders(env: Environment): string[] {
  const home = env.HOME || homedir();
  return ['.local/share/amp', '.config/amp', '.cache/amp'].map((path) => join(home, path));
}

/** The user's settings of Amp, which may have either of two names. */
export function ampSettingsPath(env: Environment): string {
  const folder = join(env.HOME || homedir(), '.config/amp');
  const [plain, commented] = [join(folder, 'settings.json'), join(folder, 'settings.jsonc')];
  return !existsSync(plain) && existsSync(commented) ? commented : plain;
}

/** Looks for Amp's credentials: its variable, or the login that "amp login" stored. */
export function ampCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  const [data = ''] = ampFolders(env);
  const file = join(data, 'secrets.json');
  return searchCredentials([{ variable: 'AMP_API_KEY' }, { file, holdsLogin }], env);
}

/** The file has a key for each server. */
function holdsLogin(secrets: Json): boolean {
  return Object.entries(secrets).some(
    ([name, value]) => name.startsWith('apiKey@') && typeof value === 'string' && value !== '',
  );
}
