import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { BatonError } from '@baton/protocol';
import { openStore } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EmbeddedHost } from './embedded-host.ts';

test('a run whose events cannot be stored fails with the reason', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'kept-runs-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const baton = await createBaton({ settings: 'none' });
  const host = new EmbeddedHost({ baton, store });
  const prompt = 'demo:script [{"say":"One."},{"shell":"true"},{"say":"Two."}]';
  const { run } = await host.launch({ backend: 'demo', cwd, prompt });
  const seen: string[] = [];
  const reading = async () => {
    for await (const event of run) {
      seen.push(event.type);
      if (event.type !== 'permission.requested') continue;
      vi.spyOn(store.log, 'append').mockRejectedValue(
        new BatonError('store_unavailable', 'The disk is full.'),
      );
      void run.answer(event.requestId, { decision: 'deny', by: 'nobody' });
    }
  };
  await expect(reading()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(seen).toContain('permission.requested');
  expect(seen).not.toContain('run.completed');
});
