import { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { type Command, isSet, type Parsed } from '../command.ts';
import { daemonAddress, originOf, remoteSettings } from '../remote/address.ts';
import { keepToken } from '../remote/credentials.ts';
import { daemonFolder, readDaemonFile } from '../remote/daemon-file.ts';
import { checkAnswers, DAEMON_OPTIONS } from '../remote/with-daemon.ts';
import { safe } from '../view/style.ts';

export const login: Command = {
  name: 'login',
  summary: 'Log in to a daemon; the login is kept in ~/.baton/credentials.json.',
  usage: 'baton login [LINK] [--link]',
  options: {
    link: { type: 'boolean', about: 'print a new one-time link for a browser, and keep no login' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'With a one-time LINK, as "baton serve" prints it, you log in as the user whom it is for.',
    'Without one you become an owner: that works where the database is, for whoever can write it,',
    'and with DATABASE_URL for a daemon on PostgreSQL.',
    'Agents that run as your user can read the login too. "baton logout" ends it.',
  ],
  run: logIn,
};

async function logIn(parsed: Parsed): Promise<number> {
  const [link, ...rest] = parsed.positionals;
  const wantsLink = isSet(parsed, 'link');
  if (rest.length > 0 || (link !== undefined && wantsLink)) {
    throw new BatonError('usage', 'A login takes one link, or makes one with --link.');
  }
  if (link !== undefined) return withLink(link, daemonFolder(parsed));
  const url = daemonAddress(remoteSettings(login, parsed), parsed);
  await checkAnswers(url);
  // Loaded only here: nobody else needs the database.
  const { localLink, localLogin } = await import('../remote/local-login.ts');
  if (wantsLink) {
    process.stdout.write(`${url}/#link=${await localLink(daemonFolder(parsed))}\n`);
    return 0;
  }
  const { token, name, role } = await localLogin(daemonFolder(parsed), url);
  return kept(url, token, { name, role });
}

async function withLink(link: string, folder: string): Promise<number> {
  const secret = /#link=([^&\s]+)$/.exec(link)?.[1];
  if (secret === undefined) {
    throw new BatonError('usage', 'That is not a one-time link.', {
      hint: 'It looks like http://127.0.0.1:3030/#link=… and needs quotes in some shells.',
    });
  }
  const url = originOf(link);
  await checkAnswers(url);
  const client = new BatonClient({ url });
  try {
    const { accessToken, user } = await client.authentication.withLink(secret);
    return kept(url, accessToken, user);
  } catch (error) {
    throw BatonError.is(error) && error.code === 'unauthenticated'
      ? spent(error, url, folder)
      : error;
  } finally {
    client.close();
  }
}

/** Whoever has the database needs no link. */
function spent({ message, hint }: BatonError, url: string, folder: string): BatonError {
  const found = readDaemonFile(folder);
  const isHere = found !== undefined && originOf(found.url) === url;
  return new BatonError('unauthenticated', message, {
    hint: isHere
      ? 'The daemon runs on this machine: "baton login" without a link lets you in as an owner.'
      : hint,
  });
}

function kept(url: string, token: string, { name, role }: { name: string; role: string }): number {
  keepToken(url, token);
  const as = safe(name === role ? name : `${name} (${role})`);
  process.stdout.write(`You are logged in to ${url} as ${as}.\n`);
  if (process.env.BATON_TOKEN) {
    process.stderr.write('warning: BATON_TOKEN is set, and is used instead of this login.\n');
  }
  return 0;
}
