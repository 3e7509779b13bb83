import type { SessionChanges } from '@baton/protocol';
import type { Store } from '@baton/store';

/** Changes a session: its title, agent, model, permission mode, policy, or whether it is archived. */
export async function changeSession(
  store: Store,
  sessionId: string,
  { by, changes }: { by?: string | undefined; changes: SessionChanges },
): Promise<void> {
  await store.log.append(sessionId, ({ session }) => ({
    drafts: [{ type: 'session.changed', by, changes: withModel(session.backend, changes) }],
    result: undefined,
  }));
}

/** Another agent does not know the models of the one before. */
function withModel(backend: string, changes: SessionChanges): SessionChanges {
  const isOther = changes.backend !== undefined && changes.backend !== backend;
  return isOther && changes.model === undefined ? { ...changes, model: null } : changes;
}
