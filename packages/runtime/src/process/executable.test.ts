import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executableProblem } from './executable.ts';
import { temporaryFolder } from './testing.ts';

test('a link that leads to itself is no program, and no mistake of Baton', () => {
  const path = join(temporaryFolder(), 'loop');
  symlinkSync(path, path);
  expect(executableProblem(path)).toMatchObject({
    code: 'backend_not_executable',
    message: expect.stringContaining('ELOOP'),
  });
});
