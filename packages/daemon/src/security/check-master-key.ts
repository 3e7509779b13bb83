import { hkdfSync } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import { RESTORE } from './master-key.ts';

const NAME = 'master_key.check';

/** True if the database has been set up with a master key. */
export async function hasMasterKey({ records }: Store): Promise<boolean> {
  return (await records.settings.get(NAME)) !== undefined;
}

/** Rejects a master key other than the one this database was set up with: it could not decrypt the stored secrets. */
export async function checkMasterKey({ records, now }: Store, key: Buffer): Promise<void> {
  const mark = Buffer.from(hkdfSync('sha256', key, '', 'baton check', 16)).toString('base64url');
  const known = await records.settings.get(NAME);
  if (!known) {
    await records.settings.put({ name: NAME, value: JSON.stringify(mark), updated_at: now() });
    return;
  }
  if (JSON.parse(known.value) === mark) return;
  throw new BatonError('config_invalid', 'Master key does not match this database.', {
    hint: RESTORE,
  });
}
