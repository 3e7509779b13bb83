import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { writeFileAtomically } from '../paths/atomic-file.ts';
import { homeFolder } from '../paths/home-folder.ts';
import { resolveLinks } from '../paths/resolve-links.ts';
import type { TrustDecisions } from '../trust/trusted-folders.ts';
import { array, isObject } from '../values/json.ts';
import { type ConfigFile, readConfigFile, userConfigPath } from './config-file.ts';

/**
 * The file in which Baton keeps the user's decisions. The configuration is the user's own and stays as it is, so that
 * every version of Baton can read it.
 */
function trustFilePath(home: string): string {
  return join(home, '.baton', 'trust.json');
}

type TrustFile = { trusted: string[]; untrusted: string[]; forgotten: string[] };

/** Returns the user's decisions about folders, from commands and from the configuration file. */
export function keptDecisions(home: string = homeFolder()): TrustDecisions {
  const { values = {} } = readConfigFile(userConfigPath(home)) ?? {};
  return merged(values, readTrustFile(home));
}

/** The user's configuration with the decisions that Baton keeps; a later decision replaces one of the configuration. */
export function withKeptDecisions(
  user: ConfigFile | undefined,
  home: string,
): ConfigFile | undefined {
  const file = readTrustFile(home);
  if (Object.values(file).every((folders) => folders.length === 0)) return user;
  const path = trustFilePath(home);
  const { values, place } = user ?? { values: {}, place: () => path };
  const { trusted, untrusted } = merged(values, file);
  return {
    ...(user ?? { path }),
    place,
    values: { ...values, trustedFolders: trusted, untrustedFolders: untrusted },
  };
}

/**
 * Keeps whether a folder is trusted; `undefined` forgets the decision, so that the user is asked again.
 */
export function keepDecision(
  named: string,
  trusted: boolean | undefined,
  home: string = homeFolder(),
): void {
  const file = readTrustFile(home);
  // Where a link leads may change; the decision is about what is there now.
  const folder = resolveLinks('/', resolve(named)) ?? resolve(named);
  const others = (folders: readonly string[]) =>
    folders.filter((each) => each !== folder && each !== named);
  const forgets = (is: boolean) => (is ? [...new Set([folder, named])] : []);
  const next: TrustFile = {
    trusted: [...others(file.trusted), ...(trusted === true ? [folder] : [])],
    untrusted: [...others(file.untrusted), ...(trusted === false ? [folder] : [])],
    forgotten: [...others(file.forgotten), ...forgets(trusted === undefined)],
  };
  writeFileAtomically(trustFilePath(home), `${JSON.stringify(next, null, 2)}\n`);
}

function merged(config: ConfigFile['values'], file: TrustFile): TrustDecisions {
  const decided = new Set([...file.trusted, ...file.untrusted, ...file.forgotten]);
  const inConfig = (value: unknown) => texts(value).filter((folder) => !decided.has(folder));
  return {
    trusted: [...inConfig(config.trustedFolders), ...file.trusted],
    untrusted: [...inConfig(config.untrustedFolders), ...file.untrusted],
  };
}

function readTrustFile(home: string): TrustFile {
  const path = trustFilePath(home);
  const { trusted, untrusted, forgotten } = parsed(path);
  return { trusted: texts(trusted), untrusted: texts(untrusted), forgotten: texts(forgotten) };
}

function parsed(path: string): Partial<Record<keyof TrustFile, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isObject(value)) return value;
    throw new Error('it is not a JSON object');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new BatonError('config_invalid', `Cannot read ${path}: ${message}`, {
      hint: 'Fix or delete the file. Without it, Baton asks about your folders again.',
      cause,
    });
  }
}

function texts(value: unknown): string[] {
  return array(value).filter((item) => typeof item === 'string');
}
