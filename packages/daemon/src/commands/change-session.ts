import type { SessionChanges } from '@baton/protocol';
import type { Store } from '@baton/store';

/** Changes a session: its title, agent, model, permission mode, policy, or whether it is archived. */
export async function changeSession(
  store: Store,
  sessionId: string,
  { by, changes }: { by?: string | undefined; changes: SessionChanges },
): Promise<void> {
  await store.log.append(sessionId, () => ({
    drafts: [{ type: 'session.changed', by, changes }],
    result: undefined,
  }));
}
