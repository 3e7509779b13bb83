import { BatonClient } from '@baton/client';
import { ownerLink, ownerLogin } from '@baton/daemon';
import { BatonError } from '@baton/protocol/values';
import { withLocalStore } from './local-store.ts';

/** Logs in an owner directly through the database, and checks that the daemon accepts the login. */
export function localLogin(
  folder: string,
  url: string,
): Promise<{ token: string; name: string; role: string }> {
  return withLocalStore(folder, async (store) => {
    const { token, tokenId, user } = await ownerLogin(store);
    if (await isKnown(url, token)) return { token, name: user.name, role: user.role };
    await store.records.tokens.remove({ token_id: tokenId });
    throw new BatonError('conflict', `The daemon at ${url} uses another database.`, {
      hint: "Pass its folder with --folder, or set DATABASE_URL to the daemon's value.",
    });
  });
}

/** Creates the secret of a one-time link for an owner directly in the database. */
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
