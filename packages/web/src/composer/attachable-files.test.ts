import { expect, test } from 'vitest';
import { attachableFiles } from './attachable-files.ts';

const file = (name: string, size = 1) => ({ name, size });
const MB = 1024 ** 2;

test('a file that is too large is rejected before upload, the others stay', () => {
  const [a, b, large] = [file('a'), file('b', 20 * MB), file('film', 20 * MB + 1)];
  const { files, refusal } = attachableFiles([a], [large, b]);
  expect(files).toEqual([a, b]);
  expect(refusal?.message).toBe('film exceeds the 20 MB attachment limit.');
});

test('no more than 50 files go along', () => {
  const many = Array.from({ length: 50 }, (_, index) => file(`${index}`));
  expect(attachableFiles([], many).refusal).toBeUndefined();
  const { files, refusal } = attachableFiles(many, [file('one more')]);
  expect(files).toEqual(many);
  expect(refusal?.message).toContain('50 files');
});
