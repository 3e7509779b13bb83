import type { Probe } from '@baton/protocol';
import type { Store } from '@baton/store';

type Known = { probe: Probe; key_variables: readonly string[] };

/** Counts the keys that the daemon keeps: a task of this user gets them, whatever is on the machine. */
export async function withStoredKeys<Record extends Known>(
  { records }: Store,
  userId: string | undefined,
  record: Record,
): Promise<Record> {
  const { probe, key_variables } = record;
  if (probe.credentials !== 'missing' || key_variables.length === 0) return record;
  const rows = await records.apiKeys.find({ where: { name: [...key_variables] } });
  const kept = rows.find(({ user_id }) => user_id === null || user_id === userId);
  if (!kept) return record;
  const problems = probe.problems.filter(({ code }) => code !== 'auth_missing');
  const credentialSource = `the API key ${kept.name}`;
  return { ...record, probe: { ...probe, credentials: 'found', credentialSource, problems } };
}
