import { expect, test } from 'vitest';
import { pages } from './docs-tables.ts';

test('the tables in the documentation are those of the code (npm run docs writes them)', async () => {
  for (const { path, is, should } of await pages()) expect(is, path).toBe(should);
});
