/** The address of a remote. */
export type RemoteUrl = {
  /** The address without credentials. */
  shown: string;
  /** Name of the server, without a port; undefined for a folder. */
  host?: string | undefined;
  /** Owner and name of the repository there, without `.git`. */
  path?: string | undefined;
  /** Address of its page. */
  web?: string | undefined;
};

/** Servers for SSH whose pages have another name. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};
const WEB = ['http:', 'https:'];
const PATH = /^[^\s/]+(\/[^\s/]+)+$/;

/** Reads the address of a remote as Git understands it: a URL, `user@host:path`, or a folder. */
export function parseRemoteUrl(text: string): RemoteUrl {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return parseUrl(text);
  const [, user, server, path = ''] = /^([^@/:]+@)?([^/:@]+):(.*)$/s.exec(text) ?? [];
  if (server === undefined) return { shown: text };
  return placed({ shown: `${user ?? ''}${server}:${path}`, server, path });
}

function parseUrl(text: string): RemoteUrl {
  if (!URL.canParse(text)) return { shown: text.replace(/\/\/[^/]*@/, '//') };
  const url = new URL(text);
  const { protocol, hostname, host } = url;
  const isWeb = WEB.includes(protocol);
  url.password = '';
  // The user of SSH is no secret; that of a web address may be a token.
  if (isWeb) url.username = '';
  url.search = '';
  url.hash = '';
  const shown = url.href;
  if (protocol === 'file:' || hostname === '') return { shown };
  const path = decoded(url.pathname);
  return placed({
    shown,
    server: hostname,
    path,
    ...(isWeb ? { page: `${protocol}//${host}` } : {}),
  });
}

type Found = { shown: string; server: string; path: string; page?: string | undefined };

function placed({ shown, server, path, page }: Found): RemoteUrl {
  const name = server.toLowerCase();
  const host = SSH_HOSTS[name] ?? name;
  const short = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  if (!PATH.test(short)) return { shown, host };
  const web = `${page ?? `https://${host}`}/${encodeURI(short)}`;
  return { shown, host, path: short, web };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The account or group that a repository belongs to. */
export function ownerOf({ path = '' }: Pick<RemoteUrl, 'path'>): string {
  return path.slice(0, path.lastIndexOf('/'));
}
