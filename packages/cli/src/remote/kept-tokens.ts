import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@baton/config/paths/atomic-file';
import { homeFolder } from '@baton/config/paths/home-folder';
import { BatonError } from '@baton/protocol/values';

type Credentials = Record<string, { token: string }>;

/** The login that is kept for a daemon. */
export function keptToken(url: string): string | undefined {
  const token = readCredentials()[url]?.token;
  return typeof token === 'string' ? token : undefined;
}

/** Keeps a login, where only this user can read it. */
export function keepToken(url: string, token: string): void {
  writeCredentials({ ...readCredentials(), [url]: { token } });
}

/** Forgets the login for a daemon. */
export function forgetToken(url: string): void {
  const { [url]: _forgotten, ...others } = readCredentials();
  writeCredentials(others);
}

function readCredentials(): Credentials {
  let text: string;
  try {
    text = readFileSync(credentialsPath(), 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw unusable(message, cause);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Credentials;
    }
  } catch (cause) {
    // Its content is secret: the parser's error message could expose it.
    throw unusable('not valid JSON', cause);
  }
  throw unusable('not a JSON object', undefined);
}

function writeCredentials(credentials: Credentials): void {
  const text = `${JSON.stringify(credentials, null, 2)}\n`;
  try {
    writeFileAtomically(credentialsPath(), text, { mode: 0o600 });
  } catch (cause) {
    throw unusable((cause as Error).message, cause);
  }
}

function credentialsPath(): string {
  return join(homeFolder(), '.baton/credentials.json');
}

function unusable(why: string, cause: unknown): BatonError {
  return new BatonError(
    'config_invalid',
    `Invalid credentials file ${credentialsPath()}: ${why}.`,
    {
      hint: 'Delete it and log in again with "baton login".',
      cause,
    },
  );
}
