const KEY = 'baton.token';

/** The token that this browser keeps for the daemon. */
export function keptToken(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token in this browser. */
export function keepToken(token: string): void {
  localStorage.setItem(KEY, token);
}

/** Forgets the token of this browser. */
export function forgetToken(): void {
  localStorage.removeItem(KEY);
}

/** Calls a function when another tab of this browser has forgotten the token. */
export function onTokenForgotten(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if ((key === KEY || key === null) && newValue === null) listener();
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
