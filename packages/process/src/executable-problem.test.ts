import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executableProblem } from './executable-problem.ts';
import { temporaryFolder } from './testing.ts';

test('a circular link is not a program, and not an internal error', () => {
  const path = join(temporaryFolder(), 'loop');
  symlinkSync(path, path);
  expect(executableProblem(path)).toMatchObject({
    code: 'backend_not_executable',
    message: expect.stringContaining('ELOOP'),
  });
});
