import { expect, test } from 'vitest';
import { LastLines } from './last-lines.ts';

test('keeps the last lines, and cuts long ones', () => {
  const lines = new LastLines();
  for (let n = 1; n <= 250; n++) lines.push(`${n}`);
  expect(lines.list()).toHaveLength(200);
  expect(lines.list(2)).toEqual(['249', '250']);
  lines.push('x'.repeat(5000));
  expect(lines.list(1)).toEqual([`${'x'.repeat(1999)}…`]);
});
