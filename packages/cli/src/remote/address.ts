import { loadSettings, type Settings } from '@baton/config/settings';
import { BatonError } from '@baton/protocol/values';
import { type Command, type Parsed, settingFlags, textOf } from '../arguments/command.ts';
import { daemonFolder, readDaemonFile } from './daemon-file.ts';

const DEFAULT_URL = 'http://127.0.0.1:3030';
/** Stands for the daemon on this machine. */
export const AUTO = 'auto';

/** Loads the settings of a command that talks to a daemon. */
export function remoteSettings(command: Command, parsed: Parsed): Settings {
  const { daemonUrl, ...flags } = settingFlags(command, parsed);
  // The daemon on this machine is found as without the flag.
  return loadSettings({
    program: 'baton',
    flags: daemonUrl === AUTO ? flags : { ...flags, daemonUrl },
  });
}

/**
 * Returns the URL of the daemon: the configured one, the one in the folder of the daemon on this machine, or the
 * default.
 */
export function daemonAddress(settings: Settings, parsed: Parsed): string {
  const told = settings.get('daemonUrl');
  const isFolderTold = textOf(parsed, 'folder') !== undefined;
  // Both flags name a daemon; a variable counts less than either.
  if (told !== undefined && (settings.origin('daemonUrl') === '--daemon' || !isFolderTold)) {
    return originOf(told);
  }
  const folder = daemonFolder(parsed);
  const found = readDaemonFile(folder);
  if (found) return originOf(found.url);
  if (!isFolderTold) return DEFAULT_URL;
  throw new BatonError('daemon_unreachable', `No daemon is running in ${folder}.`, {
    hint: `Start one with "baton serve --folder ${folder}".`,
  });
}

/** Normalizes a URL to the form under which logins are stored. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new BatonError('usage', `"${text}" is not a daemon URL.`, {
    hint: `Expected a URL like ${DEFAULT_URL}, or "${AUTO}" for the local daemon.`,
  });
}
