import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { startDaemon } from '@baton/daemon';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import {
  FIRST_VERSION_TOKEN,
  restoreFirstVersion,
} from '../packages/store/src/testing/first-version.ts';
import { sharedDatabase } from '../packages/store/src/testing/shared-database.ts';

const MAIN = inject('baton');

test.each(['sqlite', 'postgres'])(
  'tasks of the first version continue, on %s',
  async (engine) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-upgrade-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const databaseUrl = engine === 'postgres' ? await sharedDatabase() : join(folder, 'baton.db');
    const first = await restoreFirstVersion(databaseUrl);
    keepDemoSessions(
      folder,
      first.sessions.map(({ native_session_id }) => native_session_id),
    );
    const daemon = await startDaemon({
      ...{ folder, databaseUrl, port: 0, leaseMs: 2000, logLevel: 'silent' },
      executors: { command: { file: process.execPath, args: [MAIN, 'executor'] } },
    });
    const client = new BatonClient({ url: daemon.url, token: FIRST_VERSION_TOKEN });
    onTestFinished(async () => {
      client.close();
      await daemon.close();
    });
    expect(daemon.firstLink).toBeUndefined();
    const ended = (id: string) =>
      vi.waitFor(async () => {
        const task = await client.tasks.get(id);
        expect(task.completed_at).not.toBeNull();
        return task;
      }, 30_000);
    const taskThat = (status: string) =>
      first.tasks.find((task) => task.status === status)?.task_id ?? '';

    // A session that ended long ago takes another prompt, and its agent remembers it.
    const old = first.sessions.find(({ title }) => title === 'Every end')?.session_id ?? '';
    const { data } = await client.messages.find({ session_id: old });
    expect(data[0]).toMatchObject({ type: 'prompt' });
    const prompt = 'demo:script [{"say":"Still here."}]';
    const { task_id } = await client.sessions.executeTask(old, { prompt });
    expect(await ended(task_id)).toMatchObject({ status: 'COMPLETED', output: 'Still here.' });

    // What ran when that version went away has ended, and what waited behind it has had its turn.
    expect(await ended(taskThat('RUNNING'))).toMatchObject({
      status: 'FAILED',
      error: { code: 'interrupted' },
    });
    expect(await ended(taskThat('QUEUED'))).toMatchObject({ output: 'I have waited long.' });
  },
  90_000,
);

/** The demo agent stores its sessions in the home directory, where a resumed run finds them. */
function keepDemoSessions(home: string, ids: readonly (string | null)[]): void {
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = join(home, '.baton/demo-sessions');
  mkdirSync(own, { recursive: true });
  for (const id of ids) {
    if (id) writeFileSync(join(own, `${id}.json`), JSON.stringify({ id, prompts: ['Do it'] }));
  }
}
