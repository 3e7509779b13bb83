import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { newSession } from '../testing/session.ts';

async function attached(store: Store, body: Uint8Array): Promise<string> {
  const attachment_id = randomUUID();
  const facts = {
    name: 'a',
    media_type: 'a/b',
    bytes: body.length,
    created_by: null,
    created_at: 1,
  };
  const session_id = await newSession(store);
  await store.records.attachments.insert({ attachment_id, session_id, ...facts, body });
  return attachment_id;
}

onBothEngines('an attachment', (engine) => {
  test.each([0, 1, 99, 100, 101, 250])('of %i bytes is read in parts of 100', async (bytes) => {
    const store = await engine.open();
    const body = randomBytes(bytes);
    const id = await attached(store, body);
    const parts: Uint8Array[] = [];
    for await (const part of store.attachmentParts(id, 100)) parts.push(part);
    expect(Buffer.concat(parts).equals(body)).toBe(true);
    expect(parts).toHaveLength(Math.ceil(bytes / 100));
    const info = await store.attachment(id);
    expect(info).toMatchObject({ attachment_id: id, bytes });
    expect(info).not.toHaveProperty('body');
  });

  test('that is not there has no parts', async () => {
    const store = await engine.open();
    expect(await store.attachment('nothing')).toBeUndefined();
    await expect(store.attachmentParts('nothing', 100).next()).rejects.toThrow('removed');
  });
});
