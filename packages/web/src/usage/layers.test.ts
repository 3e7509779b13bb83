import { expect, test } from 'vitest';
import { totalOf } from './days.ts';
import { layersOf } from './layers.ts';
import { MEASURES, type Measure } from './measures.ts';

const DAY = '2026-03-01';
const measure = (id: string) => MEASURES.find((each) => each.id === id) as Measure;
const row = (backend: string, key: string, input_tokens: number) => ({
  ...totalOf([]),
  ...{ key, group: { day: key, backend }, tasks: 1, done: 1, input_tokens, output_tokens: 1 },
});
const shown = (id: string, rows: ReturnType<typeof row>[]) =>
  layersOf(measure(id), rows, (backend) => `The ${backend}`).map(({ label, part, on }) => [
    ...[label, part, on(DAY)],
  ]);

test('bars are made of agents, those with the most first and the least together', () => {
  const rows = [row('a', DAY, 4), row('b', DAY, 9), row('b', '2026-03-02', 50)];
  expect(shown('tokens', rows)).toEqual([
    ['The b', 'agent-0', 10],
    ['The a', 'agent-1', 5],
  ]);
  const many = Array.from({ length: 7 }, (_, place) => row(`${place}`, DAY, 10 - place));
  expect(shown('tasks', many).at(-1)).toEqual(['Other', 'others', 2]);
  expect(shown('cost', many)).toHaveLength(1);
});

test('of a single agent, and of how tasks ended, the parts are shown', () => {
  expect(shown('tokens', [row('a', DAY, 4)])).toEqual([
    ['Input tokens', 'input_tokens', 4],
    ['Output tokens', 'output_tokens', 1],
  ]);
  const two = [row('a', DAY, 4), row('b', DAY, 9)];
  expect(shown('outcome', two)[0]).toEqual(['Done', 'done', 2]);
});
