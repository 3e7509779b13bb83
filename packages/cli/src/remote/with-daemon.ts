import { BatonClient } from '@baton/client';
import type { Settings } from '@baton/config/settings';
import { BatonError } from '@baton/protocol/values';
import {
  type Command,
  type Option,
  type OptionTable,
  type Parsed,
  settingOption,
} from '../arguments/command.ts';
import { daemonAddress, remoteSettings } from './address.ts';
import { type Health, healthOf } from './health.ts';
import { keptToken } from './kept-tokens.ts';

/** Selects the daemon on this machine. */
export const FOLDER_OPTION: Option = {
  type: 'string',
  value: 'FOLDER',
  about: 'data folder of the local daemon (~/.baton/daemon)',
  choices: 'files',
};

/** The options of every command that talks to a daemon. */
export const DAEMON_OPTIONS: OptionTable = {
  daemon: settingOption('daemonUrl', { value: 'URL' }),
  folder: FOLDER_OPTION,
};

/** Calls a daemon as the logged-in user; errors get helpful hints. */
export async function withDaemon<Result>(
  command: Command,
  parsed: Parsed,
  act: (client: BatonClient, url: string) => Promise<Result>,
): Promise<Result> {
  const settings = remoteSettings(command, parsed);
  const url = daemonAddress(settings, parsed);
  await checkAnswers(url);
  const token = settings.get('daemonToken') ?? keptToken(url);
  if (token === undefined) throw notLoggedIn(url);
  const client = new BatonClient({ url, token });
  try {
    return await act(client, url);
  } catch (error) {
    throw BatonError.is(error) && error.code === 'unauthenticated' ? refused(settings, url) : error;
  } finally {
    client.close();
  }
}

/** Explains why no daemon is reachable. */
export async function checkAnswers(url: string): Promise<void> {
  const health = await healthOf(url);
  if (health === 'ok') return;
  const { words, hint } = TROUBLES[health];
  throw new BatonError('daemon_unreachable', words(url), { hint });
}

const NAME_ANOTHER = 'Start one with "baton serve", or set --daemon or BATON_URL.';

const TROUBLES: Record<Exclude<Health, 'ok'>, { words: (url: string) => string; hint: string }> = {
  silent: { words: (url) => `Cannot reach a daemon at ${url}.`, hint: NAME_ANOTHER },
  other: { words: (url) => `${url} is not a Baton daemon.`, hint: NAME_ANOTHER },
  untrusted: {
    words: (url) => `The certificate of ${url} is not trusted.`,
    hint: 'If it is your own certificate, set NODE_EXTRA_CA_CERTS to its file and use a host name it covers.',
  },
};

function notLoggedIn(url: string): BatonError {
  return new BatonError('unauthenticated', `Not logged in to the daemon at ${url}.`, {
    hint: 'Run "baton login" on its machine, use "baton login LINK" with a one-time link, or set BATON_TOKEN.',
  });
}

function refused(settings: Settings, url: string): BatonError {
  const origin = settings.origin('daemonToken');
  if (settings.get('daemonToken') !== undefined) {
    return new BatonError('unauthenticated', `Invalid token for ${url}.`, {
      hint: `The token from ${origin} was revoked, has expired, or belongs to another daemon.`,
    });
  }
  return new BatonError('unauthenticated', `Your login for ${url} has expired.`, {
    hint: 'It has expired or was revoked. Log in again with "baton login".',
  });
}
