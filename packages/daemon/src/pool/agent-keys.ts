import type { ApiKeyRow, Store } from '@baton/store';
import type { SealedBox } from '../security/sealed-box.ts';

type KeyRequest = {
  /** The user whose task it is. */
  userId: string | null;
  /** The variables that the agent of the task takes. */
  variables: readonly string[];
};

/** The stored keys for an agent: those of the user, else the shared ones; never a mix. */
export async function agentKeys(
  store: Store,
  box: SealedBox,
  { userId, variables }: KeyRequest,
): Promise<Record<string, string>> {
  if (variables.length === 0) return {};
  const rows = await store.records.apiKeys.find({ where: { name: variables } });
  const own = rows.filter((row) => row.user_id !== null && row.user_id === userId);
  const shared = rows.filter((row) => row.user_id === null);
  const chosen = own.length > 0 ? own : shared;
  return Object.fromEntries(chosen.map((row) => [row.name, opened(box, row)]));
}

function opened(box: SealedBox, { sealed, key_id }: ApiKeyRow): string {
  return box.open(sealed, key_id);
}
