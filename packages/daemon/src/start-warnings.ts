import { statSync } from 'node:fs';
import type { Store } from '@baton/store';
import { readSettings } from './settings/read-settings.ts';

type StartedAs = {
  folder: string;
  /** True if this daemon starts agents. */
  runsTasks: boolean;
  uid?: number | undefined;
};

/** Warnings about the way a daemon was started. */
export async function startWarnings(
  store: Store,
  { folder, runsTasks, uid = process.getuid?.() }: StartedAs,
): Promise<string[]> {
  const { 'executors.isolation': isolation } = await readSettings(store);
  const warnings: string[] = [];
  if (uid === 0 && runsTasks && isolation === 'none') {
    warnings.push(
      'The daemon runs as root and its agents are not isolated: an agent can do anything on this machine. Run it as another user, or set executors.isolation to "bubblewrap".',
    );
  }
  const mode = statSync(folder).mode & 0o777;
  if (mode & 0o077) {
    warnings.push(
      `Other users can read ${folder} (mode 0${mode.toString(8)}). Restrict access with: chmod 700 ${folder}`,
    );
  }
  return warnings;
}
