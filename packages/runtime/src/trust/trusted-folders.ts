import { isAbsolute } from 'node:path';
import { followed } from '../paths/follow-links.ts';
import { isInside } from '../paths/is-inside.ts';

/** What the user decided about folders; a decision holds for everything in the folder, the nearest one counts. */
export type TrustDecisions = {
  trusted: readonly string[];
  untrusted: readonly string[];
};

/** What the user decided about a folder; nothing when the user was never asked about it. */
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
  return Math.max(-1, ...around.map((each) => (followed('/', each) ?? each).length));
}
