import { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../arguments/command.ts';
import { daemonAddress, originOf, remoteSettings } from '../remote/address.ts';
import { daemonFolder, readDaemonFile } from '../remote/daemon-file.ts';
import { keepToken } from '../remote/kept-tokens.ts';
import { checkAnswers, DAEMON_OPTIONS } from '../remote/with-daemon.ts';
import { safe } from '../view/style.ts';

export const login: Command = {
  name: 'login',
  summary: 'Log in to a daemon. Credentials are stored in ~/.baton/credentials.json.',
  usage: 'baton login [LINK] [--link]',
  options: {
    link: { type: 'boolean', about: 'print a new one-time link for a browser without logging in' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'With a one-time LINK, as printed by "baton serve", you log in as the user it was created for.',
    'Without LINK you log in as an owner. This requires write access to the local database,',
    'or DATABASE_URL for a daemon on PostgreSQL.',
    'Agents that run as your user can read the credentials. "baton logout" revokes them.',
  ],
  run: logIn,
};

async function logIn(parsed: Parsed): Promise<number> {
  const [link, ...rest] = parsed.positionals;
  const wantsLink = isSet(parsed, 'link');
  if (rest.length > 0 || (link !== undefined && wantsLink)) {
    throw new BatonError('usage', 'Pass one LINK or --link, not both.');
  }
  if (link !== undefined) return withLink(link, daemonFolder(parsed));
  const url = daemonAddress(remoteSettings(login, parsed), parsed);
  await checkAnswers(url);
  // Loaded only here: no other command needs the database.
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
    throw new BatonError('usage', 'Invalid one-time link.', {
      hint: 'Expected a URL like http://127.0.0.1:3030/#link=…; some shells require quotes around it.',
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

/** With access to the database, no link is needed. */
function spent({ message, hint }: BatonError, url: string, folder: string): BatonError {
  const found = readDaemonFile(folder);
  const isHere = found !== undefined && originOf(found.url) === url;
  return new BatonError('unauthenticated', message, {
    hint: isHere
      ? 'The daemon runs on this machine: use "baton login" without a link to log in as an owner.'
      : hint,
  });
}

function kept(url: string, token: string, { name, role }: { name: string; role: string }): number {
  keepToken(url, token);
  const as = safe(name === role ? name : `${name} (${role})`);
  process.stdout.write(`Logged in to ${url} as ${as}.\n`);
  if (process.env.BATON_TOKEN) {
    process.stderr.write('warning: BATON_TOKEN is set and takes precedence over this login.\n');
  }
  return 0;
}
