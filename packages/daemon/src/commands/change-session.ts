import { BatonError, type SessionChanges } from '@baton/protocol';
import type { SessionState, Store } from '@baton/store';

/** Changes a session: its title, agent, model, permission mode, policy, or whether it is archived. */
export async function changeSession(
  store: Store,
  sessionId: string,
  { by, changes }: { by?: string | undefined; changes: SessionChanges },
): Promise<void> {
  await store.log.append(sessionId, (state) => {
    if (changes.archived) checkRests(state);
    const { backend } = state.session;
    return {
      drafts: [{ type: 'session.changed', by, changes: withModel(backend, changes) }],
      result: undefined,
    };
  });
}

/** An archived session is hidden: no one would see an agent working or waiting there. */
function checkRests({ session, tasks: { size } }: SessionState): void {
  if (session.archived || size === 0) return;
  const [tasks, hint] =
    size === 1
      ? ['a task that has', 'Stop it, or wait until it has ended.']
      : [`${size} tasks that have`, 'Stop them, or wait until they have ended.'];
  throw new BatonError('conflict', `The session has ${tasks} not ended.`, { hint });
}

/** Another agent does not know the models of the one before. */
function withModel(backend: string, changes: SessionChanges): SessionChanges {
  const isOther = changes.backend !== undefined && changes.backend !== backend;
  return isOther && changes.model === undefined ? { ...changes, model: null } : changes;
}
