import { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import type { Settings } from '@baton/runtime';
import {
  type Command,
  type Option,
  type OptionTable,
  type Parsed,
  settingOption,
} from '../command.ts';
import { daemonAddress, remoteSettings } from './address.ts';
import { keptToken } from './credentials.ts';
import { type Health, healthOf } from './health.ts';

/** Says which daemon on this machine is meant. */
export const FOLDER_OPTION: Option = {
  type: 'string',
  value: 'FOLDER',
  about: 'the folder of the daemon on this machine (~/.baton/daemon)',
  choices: 'files',
};

/** The options of every command that talks to a daemon. */
export const DAEMON_OPTIONS: OptionTable = {
  daemon: settingOption('daemonUrl', { value: 'URL' }),
  folder: FOLDER_OPTION,
};

/** Calls a daemon as the person who is logged in; what goes wrong is said so that it helps. */
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

/** Says what is wrong when no daemon answers. */
export async function checkAnswers(url: string): Promise<void> {
  const health = await healthOf(url);
  if (health === 'ok') return;
  const { words, hint } = TROUBLES[health];
  throw new BatonError('daemon_unreachable', words(url), { hint });
}

const NAME_ANOTHER = 'Start one with "baton serve", or name another with --daemon or BATON_URL.';

const TROUBLES: Record<Exclude<Health, 'ok'>, { words: (url: string) => string; hint: string }> = {
  silent: { words: (url) => `No daemon answers at ${url}.`, hint: NAME_ANOTHER },
  other: { words: (url) => `What answers at ${url} is no daemon.`, hint: NAME_ANOTHER },
  untrusted: {
    words: (url) => `The certificate of ${url} is not trusted here.`,
    hint: 'If it is yours, name the file of its certificate in NODE_EXTRA_CA_CERTS, and use a name that it is for.',
  },
};

function notLoggedIn(url: string): BatonError {
  return new BatonError('unauthenticated', `You are not logged in to the daemon at ${url}.`, {
    hint: 'Use "baton login" on its machine, "baton login LINK" with a one-time link, or BATON_TOKEN.',
  });
}

function refused(settings: Settings, url: string): BatonError {
  const origin = settings.origin('daemonToken');
  if (settings.get('daemonToken') !== undefined) {
    return new BatonError('unauthenticated', `The daemon at ${url} refuses the token.`, {
      hint: `It comes from ${origin}: it was revoked, is too old, or belongs to another daemon.`,
    });
  }
  return new BatonError('unauthenticated', `Your login to the daemon at ${url} is void.`, {
    hint: 'It was revoked or is too old. Log in again with "baton login".',
  });
}
