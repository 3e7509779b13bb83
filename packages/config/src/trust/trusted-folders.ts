import { isAbsolute } from 'node:path';
import { isInside } from '../paths/is-inside.ts';
import { resolveLinks } from '../paths/resolve-links.ts';

/** The user's decisions about folders; a decision holds for everything in the folder, and the nearest one counts. */
export type TrustDecisions = {
  trusted: readonly string[];
  untrusted: readonly string[];
};

/** Returns the user's decision about a folder; undefined if the user was never asked about it. */
export function decisionFor(folder: string, decisions: TrustDecisions): boolean | undefined {
  const trusted = nearest(folder, decisions.trusted);
  const untrusted = nearest(folder, decisions.untrusted);
  if (trusted === untrusted) return undefined;
  return trusted > untrusted;
}

/** The length of the longest of some folders that contain a folder; -1 when none does. */
function nearest(folder: string, folders: readonly string[]): number {
  // A relative one would mean another folder for every program.
  const around = folders
    .filter(isAbsolute)
    .filter((each) => isInside(each, folder, { orEqual: true }));
  return Math.max(-1, ...around.map((each) => (resolveLinks('/', each) ?? each).length));
}
