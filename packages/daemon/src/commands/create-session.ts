import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { BatonError, type PermissionMode, type RequestPolicy } from '@baton/protocol';
import type { SessionRow, Store } from '@baton/store';

export type NewSession = {
  by?: string | undefined;
  cwd: string;
  backend: string;
  permissionMode: PermissionMode;
  title?: string | undefined;
  /** What happens to requests that nobody answers. */
  requestPolicy?: RequestPolicy | null | undefined;
};

/** Begins a session in a folder. */
export async function createSession(store: Store, session: NewSession): Promise<SessionRow> {
  const { by, cwd, backend, permissionMode, title = '', requestPolicy } = session;
  if (!isAbsolute(cwd)) {
    throw new BatonError('usage', `The folder of a session must be a whole path, not "${cwd}".`);
  }
  return store.log.create(randomUUID(), [
    { type: 'session.created', by, cwd, backend, permissionMode, title },
    ...(requestPolicy ? [{ type: 'session.changed' as const, changes: { requestPolicy } }] : []),
  ]);
}
