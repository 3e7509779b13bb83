import { existsSync } from 'node:fs';
import type { Json } from '@baton/config/values/json';
import type { Credentials } from '../definition/backend-entry.ts';
import { readOptionalJson } from './json-file.ts';

/** A place where an agent finds a key or a login. */
export type CredentialPlace =
  | { variable: string }
  | {
      file: string;
      /** True if the JSON in the file holds a login; without this function, the file alone is enough. */
      holdsLogin?(content: Json): boolean;
      /** Name of the file in messages to the user; its path by default. */
      source?: string;
    };

/** The credentials in the first place that has some. Only using them shows if they are accepted. */
export function searchCredentials(
  places: readonly CredentialPlace[],
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  const found = places.find((place) => hasCredentials(place, env));
  if (!found) return { credentials: 'missing', hint: hintFor(places) };
  const credentialSource = 'variable' in found ? found.variable : (found.source ?? found.file);
  return { credentials: 'found', credentialSource };
}

function hintFor(places: readonly CredentialPlace[]): string | undefined {
  const [first] = places.flatMap((place) => ('variable' in place ? [place.variable] : []));
  return first && `Set ${first}, or log in with the agent's own CLI.`;
}

function hasCredentials(
  place: CredentialPlace,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if ('variable' in place) return Boolean(env[place.variable]);
  if (!place.holdsLogin) return existsSync(place.file);
  return place.holdsLogin(readOptionalJson(place.file));
}
