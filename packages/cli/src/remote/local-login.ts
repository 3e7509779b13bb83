import { BatonClient } from '@baton/client';
import { ownerLink, ownerLogin } from '@baton/daemon';
import { BatonError } from '@baton/protocol';
import { withLocalStore } from './local-store.ts';

/** Logs an owner in through the database itself, and makes sure that the daemon knows the login. */
export function localLogin(
  folder: string,
  url: string,
): Promise<{ token: string; name: string; role: string }> {
  return withLocalStore(folder, async (store) => {
    const { token, tokenId, user } = await ownerLogin(store);
    if (await isKnown(url, token)) return { token, name: user.name, role: user.role };
    await store.records.tokens.remove({ token_id: tokenId });
    throw new BatonError('conflict', `The daemon at ${url} uses another database.`, {
      hint: 'Name its folder with --folder, or set DATABASE_URL as it is set for the daemon.',
    });
  });
}

/** Makes the secret of a one-time link of an owner through the database itself. */
export function localLink(folder: string): Promise<string> {
  return withLocalStore(folder, ownerLink);
}

async function isKnown(url: string, token: string): Promise<boolean> {
  const client = new BatonClient({ url, token });
  try {
    await client.users.me();
    return true;
  } catch (error) {
    if (BatonError.is(error) && error.code === 'unauthenticated') return false;
    throw error;
  } finally {
    client.close();
  }
}
