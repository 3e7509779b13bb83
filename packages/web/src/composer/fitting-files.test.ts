import { expect, test } from 'vitest';
import { fittingFiles } from './fitting-files.ts';

const file = (name: string, size = 1) => ({ name, size });
const MB = 1024 ** 2;

test('a file that the daemon would not take is refused before it is sent, the others stay', () => {
  const [a, b, large] = [file('a'), file('b', 20 * MB), file('film', 20 * MB + 1)];
  const { files, refusal } = fittingFiles([a], [large, b]);
  expect(files).toEqual([a, b]);
  expect(refusal?.message).toBe('film has more than the 20 MB that an attached file may have.');
});

test('no more than 50 files go along', () => {
  const many = Array.from({ length: 50 }, (_, index) => file(`${index}`));
  expect(fittingFiles([], many).refusal).toBeUndefined();
  const { files, refusal } = fittingFiles(many, [file('one more')]);
  expect(files).toEqual(many);
  expect(refusal?.message).toContain('50 files');
});
