import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { array } from '../normalize/json.ts';
import { followed } from '../paths/follow-links.ts';
import { homeFolder } from '../paths/home-folder.ts';
import { readConfigFile, userConfigPath } from '../settings/config-file.ts';
import type { TrustDecisions } from './trusted-folders.ts';

/** What the user decided about folders, as the user's configuration file has it. */
export function keptDecisions(home: string = homeFolder()): TrustDecisions {
  const { values = {} } = readConfigFile(userConfigPath(home)) ?? {};
  return { trusted: texts(values.trustedFolders), untrusted: texts(values.untrustedFolders) };
}

/**
 * Keeps in the user's configuration file whether a folder is trusted; `undefined` forgets the decision, so that the
 * user is asked again. Everything else in the file stays.
 */
export function keepDecision(
  named: string,
  trusted: boolean | undefined,
  home: string = homeFolder(),
): void {
  const path = userConfigPath(home);
  const { values = {} } = readConfigFile(path) ?? {};
  const kept = keptDecisions(home);
  // Where a link leads may change; the decision is about what is there now.
  const folder = followed('/', resolve(named)) ?? resolve(named);
  const others = (folders: readonly string[]) =>
    folders.filter((each) => each !== folder && each !== named);
  const changed = {
    ...values,
    trustedFolders: [...others(kept.trusted), ...(trusted === true ? [folder] : [])],
    untrustedFolders: [...others(kept.untrusted), ...(trusted === false ? [folder] : [])],
  };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.tmp`;
  writeFileSync(next, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

function texts(value: unknown): string[] {
  return array(value).filter((item) => typeof item === 'string');
}
