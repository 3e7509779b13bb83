const KEY = 'baton.token';
/** The channel on which a tab tells the others which token was signed out. */
const SIGNED_OUT = 'baton.signed-out';

/** The token that this browser keeps for the daemon. */
export function keptToken(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token in this browser. */
export function keepToken(token: string): void {
  localStorage.setItem(KEY, token);
}

/** Forgets a token, unless this browser keeps another one by now. */
export function forgetToken(token: string | undefined): void {
  if (keptToken() === token) localStorage.removeItem(KEY);
}

/** Notifies the other tabs of a sign-out: unlike a rejected token, it applies to all of them. */
export function announceSignOut(token: string): void {
  localStorage.setItem(SIGNED_OUT, token);
  localStorage.removeItem(SIGNED_OUT);
}

/** Calls a function when another tab has ended a login; without a token whichever it is. */
export function onLoginEnded(
  listener: (how: 'signed out' | 'forgotten', token: string | null) => void,
): () => void {
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    if (key === SIGNED_OUT && newValue !== null) listener('signed out', newValue);
    if ((key === KEY || key === null) && newValue === null) listener('forgotten', oldValue);
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** The secret of the one-time link that led here; it is taken out of the address at once. */
export function takeLinkSecret(): string | undefined {
  const secret = /^#link=(.+)$/.exec(location.hash)?.[1];
  if (secret === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return secret;
}
