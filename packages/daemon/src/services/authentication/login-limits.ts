import { isIPv6 } from 'node:net';
import { RateLimit } from '../../access/rate-limit.ts';

const MINUTE_MS = 60_000;
/** Passwords that one client may try for one account. */
const PER_CLIENT_AND_ACCOUNT = 10;
/** Passwords that one client may try for any accounts: each attempt costs much memory and time, on purpose. */
const PER_CLIENT = 60;
/** Attempts for one account from all clients; with more of them it counts as under attack. */
const PER_ACCOUNT = 100;
/** Passwords that one client may try for an account that is under attack. */
const UNDER_ATTACK = 3;
/** Wrong links and tokens that one client may try. */
const SECRETS_PER_CLIENT = 30;

/** Limits guesses without locking out others: a client that has not guessed can always log in. */
export class LoginLimits {
  #pair: RateLimit;
  #client: RateLimit;
  #account: RateLimit;
  #secrets: RateLimit;

  constructor(now: () => number) {
    const limit = (most: number) => new RateLimit({ most, perMs: MINUTE_MS, now });
    this.#pair = limit(PER_CLIENT_AND_ACCOUNT);
    this.#client = limit(PER_CLIENT);
    this.#account = limit(PER_ACCOUNT);
    this.#secrets = limit(SECRETS_PER_CLIENT);
  }

  /** Counts an attempt with a password, before it is looked at; throws when there were too many. */
  countPassword(address: string, account: string): void {
    const client = clientOf(address);
    this.#client.count(client);
    this.#account.note(account);
    const most = this.#account.isExceeded(account) ? UNDER_ATTACK : PER_CLIENT_AND_ACCOUNT;
    this.#pair.count(pairOf(client, account), most);
  }

  /** Forgets the mistakes of a client that knows the password. */
  loggedIn(address: string, account: string): void {
    this.#pair.clear(pairOf(clientOf(address), account));
  }

  /** Counts an invalid link or token; throws after too many. A valid one is never rejected: it cannot be guessed. */
  countWrongSecret(address: string): void {
    this.#secrets.count(clientOf(address));
  }
}

function pairOf(client: string, account: string): string {
  return `${client} ${account}`;
}

/** An IPv6 client has a whole network of addresses. */
function clientOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const first = head.split(':').filter(Boolean);
  const last = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0');
  const groups = [...first, ...zeros, ...last].map((group) =>
    Number.parseInt(group, 16).toString(16),
  );
  return groups.slice(0, 4).join(':');
}
