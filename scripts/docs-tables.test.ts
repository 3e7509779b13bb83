import { expect, test } from 'vitest';
import { missingProofs } from './docs-agents.ts';
import { chainGraph, pages, schemas } from './docs-tables.ts';

test('the tables in the documentation are those of the code (npm run docs writes them)', async () => {
  for (const { path, is, should } of await pages()) expect(is, path).toBe(should);
});

test('the schemas of configuration and chains files are those of the code (npm run docs writes them)', () => {
  for (const { path, is, should } of schemas()) expect(is, path).toBe(should);
});

test('the graph of the example chain is that of the code (npm run docs writes it)', () => {
  const { is, should } = chainGraph();
  expect(is).toBe(should);
});

test('the tests that docs/agents.md relies on exist', () => {
  expect(missingProofs()).toEqual([]);
});
