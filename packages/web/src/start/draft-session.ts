import type { BatonClient } from '@baton/client';
import { BatonError, type SessionRecord, type WorkspaceRequest } from '@baton/protocol';

type Wanted = Pick<SessionRecord, 'cwd' | 'backend' | 'permission_mode'> & {
  workspace?: WorkspaceRequest | undefined;
};

/** The session of a first prompt, kept until the prompt is accepted: a retry uses the same session. */
export class DraftSession {
  #begun: (Wanted & { session_id: string }) | undefined;

  /** Begins the session, or changes the one that was begun into it. */
  async get(client: BatonClient, wanted: Wanted): Promise<string> {
    const before = this.#begun;
    const isSame =
      before?.cwd === wanted.cwd &&
      JSON.stringify(before.workspace) === JSON.stringify(wanted.workspace);
    const session_id =
      before && isSame
        ? await changed(client, before, wanted)
        : (await client.sessions.create(wanted)).session_id;
    this.#begun = { ...wanted, session_id };
    // A session cannot go to another folder.
    if (before && !isSame) {
      await client.sessions.patch(before.session_id, { archived: true }).catch(unlessAtWork);
    }
    return session_id;
  }

  /** Says that its prompt was given. */
  done(): void {
    this.#begun = undefined;
  }
}

/** A prompt whose answer got lost may have arrived after all: then its session stays. */
function unlessAtWork(error: unknown): void {
  if (!BatonError.is(error) || error.code !== 'conflict') throw error;
}

async function changed(
  client: BatonClient,
  { session_id, ...before }: Wanted & { session_id: string },
  { backend, permission_mode }: Wanted,
): Promise<string> {
  if (backend !== before.backend || permission_mode !== before.permission_mode) {
    await client.sessions.patch(session_id, { backend, permission_mode });
  }
  return session_id;
}
