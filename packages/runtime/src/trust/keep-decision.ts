import { resolve } from 'node:path';
import { array } from '../normalize/json.ts';
import { followed } from '../paths/follow-links.ts';
import { homeFolder } from '../paths/home-folder.ts';
import { changeUserConfig, readConfigFile, userConfigPath } from '../settings/config-file.ts';
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
  const kept = keptDecisions(home);
  // Where a link leads may change; the decision is about what is there now.
  const folder = followed('/', resolve(named)) ?? resolve(named);
  const others = (folders: readonly string[]) =>
    folders.filter((each) => each !== folder && each !== named);
  changeUserConfig(home, {
    trustedFolders: [...others(kept.trusted), ...(trusted === true ? [folder] : [])],
    untrustedFolders: [...others(kept.untrusted), ...(trusted === false ? [folder] : [])],
  });
}

function texts(value: unknown): string[] {
  return array(value).filter((item) => typeof item === 'string');
}
