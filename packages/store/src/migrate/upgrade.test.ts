import type { Entry } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import type { SessionRow } from '../schema/tables.ts';
import { onBothEngines } from '../testing/engines.ts';
import { type FirstVersion, restoreFirstVersion } from '../testing/first-version.ts';

async function factsOf({ records, log, entries }: Store): Promise<FirstVersion> {
  const sessions = await records.sessions.find();
  const ids = sessions.map(({ session_id }) => session_id);
  return {
    sessions,
    tasks: await records.tasks.find(),
    requests: await records.requests.find({ orderBy: ['asked_at', 'asc'] }),
    users: await records.users.find(),
    tokens: await records.tokens.find(),
    logs: await Promise.all(ids.map(async (id) => (await log.read(id, 0, 100_000)).events)),
    entries: await Promise.all(ids.map((id) => entries(id, { limit: 1000 }))),
  };
}

/** The first version named an agent also where no agent had named its session. */
function corrected(session: SessionRow): SessionRow {
  return session.native_session_id === null ? { ...session, native_backend: null } : session;
}

/** The first version had an entry for each line that nobody understood, and no prompt named the model that was used. */
function correctedEntry(entry: Entry): Partial<Entry> {
  if (entry.kind === 'unparsed') {
    const { cursor, taskId, time } = entry;
    return { kind: 'unparsed', key: `${taskId}:unparsed`, taskId, cursor, time, count: 1 };
  }
  if (entry.kind !== 'prompt') return entry;
  const { through: _through, ...prompt } = entry;
  return prompt;
}

onBothEngines('a database that the first version wrote', (engine) => {
  test('says the same when this version has brought it up to date', async () => {
    const url = await engine.database();
    const first = await restoreFirstVersion(url);
    const store = await engine.open({ url });
    expect(new Set(first.tasks.map(({ status }) => status))).toEqual(
      new Set(['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED']),
    );
    // A later version may know more of everything, but nothing else.
    expect(await factsOf(store)).toMatchObject({
      ...first,
      sessions: first.sessions.map(corrected),
      entries: first.entries.map((entries) => entries.map(correctedEntry)),
    });
  });

  test('has the same rows when rebuilt from its log', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const store = await engine.open({ url });
    const before = await factsOf(store);
    expect(await store.rebuild()).toBe(before.sessions.length);
    expect(await factsOf(store)).toEqual(before);
  });

  test('keeps data that is not derived from the log', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const { records, rawOutput } = await engine.open({ url });
    expect(await records.rules.get('r')).toMatchObject({ tool: 'shell', pattern: 'ls*' });
    expect(await records.settings.get('retention')).toMatchObject({ value: '30' });
    const attachment = await records.attachments.get('a');
    expect([...(attachment?.body ?? [])]).toEqual([0, 255, 10]);
    const [printed] = await rawOutput.read('t', 0, 10);
    expect(printed?.bytes.toString()).toBe('what it really printed\n');
  });
});
