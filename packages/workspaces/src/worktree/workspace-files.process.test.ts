import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestWorld } from '../testing/world.ts';

test('finds a workspace by id, prefix, folder, branch and name', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create({ name: 'fix' });
  await user.create({ name: 'other' });
  const id = record.workspace_id;
  for (const name of [id, id.slice(0, 9), record.path, 'baton/fix', 'fix', 'app/fix']) {
    expect(user.files.find(name).workspace_id, name).toBe(id);
  }
  expect(() => user.files.find('missing')).toThrow('not found');
  expect(() => user.files.find('ws_')).toThrow('several');
  expect(() => user.files.get('../../etc/passwd')).toThrow('not found');
});

test('reports a damaged record and keeps its file', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  const path = join(user.files.folder, 'ws_bad.json');
  writeFileSync(path, '{"workspace_id":');
  writeFileSync(join(user.files.folder, 'ws_old.json'), '{"workspace_id":"ws_old"}');
  expect(user.files.list().map(({ workspace_id }) => workspace_id)).toEqual([record.workspace_id]);
  expect(user.files.damaged()).toHaveLength(2);
  expect(() => user.files.get('ws_bad')).toThrow('not a workspace record');
  expect(readFileSync(path, 'utf8')).toBe('{"workspace_id":');
});
