import { randomBytes } from 'node:crypto';
import { createBaton } from '@baton/agents/registry/create-baton';
import { openStore, type TaskRow } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import { SealedBox } from '../security/sealed-box.ts';
import { equipmentFor } from './equipment.ts';

const baton = await createBaton({ settings: 'none' });

test('the mark of an equipment changes with a key of its agent, and does not show it', async () => {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const box = new SealedBox(randomBytes(32));
  const task = { backend: 'claude-code', created_by: null } as TaskRow;
  const markNow = async () => (await equipmentFor({ baton, store, box }, task)).mark;
  const keep = (key_id: string, name: string) =>
    store.records.apiKeys.insert({
      key_id,
      user_id: null,
      name,
      sealed: box.seal('secret', key_id),
      created_at: 0,
    });
  const before = await markNow();
  await keep('1', 'OPENAI_API_KEY');
  expect(await markNow()).toBe(before);
  await keep('2', 'ANTHROPIC_API_KEY');
  expect(await markNow()).not.toBe(before);
  expect(await markNow()).not.toContain('secret');
});
