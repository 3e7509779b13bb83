import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameInFolder } from './save-file.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['/etc/passwd', 'passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['..', 'file'],
  ['', 'file'],
  ['.bashrc', 'bashrc'],
  ['a\u202etxt.exe', 'atxt.exe'],
])('the file "%s" is saved as "%s"', (name, expected) => {
  expect(nameInFolder(name)).toBe(expected);
});

test('a name is never a path, hidden, empty or too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const safe = nameInFolder(name);
      expect(safe).toMatch(/^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200);
    }),
    { numRuns: 100 },
  );
});
