import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import type { RawOutput } from './raw-output.ts';

const user = (name: string, role = 'member') => ({
  user_id: `id of ${name}`,
  name,
  role,
  password_hash: null,
  disabled: 0,
  created_at: 1,
});

onBothEngines('records', (engine) => {
  test('are written, found, changed and removed', async () => {
    const { users } = (await engine.open()).records;
    for (const name of ['a', 'b', 'c']) await users.insert(user(name));
    expect(await users.get('id of b')).toEqual(user('b'));
    expect(await users.get('nobody')).toBeUndefined();
    expect(await users.find({ where: { name: ['a', 'c'] }, orderBy: ['name', 'desc'] })).toEqual([
      user('c'),
      user('a'),
    ]);
    expect(await users.find({ where: { password_hash: null }, limit: 1, offset: 1 })).toEqual([
      user('b'),
    ]);
    expect(await users.update({ name: 'b' }, { role: 'owner' })).toBe(1);
    expect(await users.count({ role: 'owner' })).toBe(1);
    expect(await users.remove({ role: 'owner' })).toBe(1);
    expect(await users.count()).toBe(2);
  });

  test('are unique by name', async () => {
    const { users } = (await engine.open()).records;
    await users.insert(user('a'));
    await expect(users.insert({ ...user('a'), user_id: 'other' })).rejects.toThrow();
    expect(await users.count()).toBe(1);
  });

  test('are replaced by key', async () => {
    const { settings } = (await engine.open()).records;
    await settings.put({ name: 's', value: '1', updated_at: 1 });
    await settings.put({ name: 's', value: '2', updated_at: 2 });
    expect(await settings.find()).toEqual([{ name: 's', value: '2', updated_at: 2 }]);
  });

  test('store bytes unchanged', async () => {
    const { attachments } = (await engine.open()).records;
    const body = Buffer.from([0, 1, 255, 0, 128]);
    await attachments.insert({
      attachment_id: 'a',
      session_id: 's',
      name: 'n',
      media_type: 'image/png',
      bytes: body.length,
      body,
      created_by: null,
      created_at: 1,
    });
    expect(Buffer.from((await attachments.get('a'))?.body ?? [])).toEqual(body);
  });
});

onBothEngines('what an agent printed', (engine) => {
  test('is stored up to its limit, and read unchanged', async () => {
    const { rawOutput } = await engine.open();
    const add = (text: string, offset: number) =>
      rawOutput.append('t', { bytes: Buffer.from(text), offset, maxBytes: 10 });
    expect(await add('hello ', 0)).toBe(6);
    expect(await add('world', 6)).toBe(10);
    expect(await add('!', 11)).toBe(10);
    expect(await printed(rawOutput, 't')).toBe('hello worl');
    expect(await printed(rawOutput, 'another')).toBe('');
  });

  test('is stored once and without gaps, even if another sender repeats it', async () => {
    const { rawOutput } = await engine.open();
    const add = (text: string, offset: number) =>
      rawOutput.append('t', { bytes: Buffer.from(text), offset, maxBytes: 100 });
    expect(await add('abc', 0)).toBe(3);
    expect(await add('ef', 4)).toBe(3);
    expect(await add('abcd', 0)).toBe(4);
    expect(await add('cdef', 2)).toBe(6);
    await Promise.all([add('gh', 6), add('gh', 6)]);
    expect(await printed(rawOutput, 't')).toBe('abcdefgh');
  });

  test('is removed when it is old', async () => {
    let time = 1;
    const { rawOutput } = await engine.open({ now: () => time });
    const piece = { bytes: Buffer.from('x'), offset: 0, maxBytes: 10 };
    await rawOutput.append('old', piece);
    time = 100;
    await rawOutput.append('new', piece);
    expect(await rawOutput.removeBefore(50)).toBe(1);
    expect(await printed(rawOutput, 'old')).toBe('');
  });
});

async function printed(rawOutput: RawOutput, taskId: string): Promise<string> {
  const parts = await rawOutput.read(taskId, 0, 100);
  return parts.map(({ bytes }) => bytes.toString()).join('');
}
