import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, type ErrorCode } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { spawnError } from './spawn-error.ts';
import type { SpawnRequest } from './spawn-request.ts';
import { launch, temporaryFolder, writeProgram } from './testing.ts';

describe('a process that cannot be started', () => {
  test('missing file', async () => {
    const file = join(temporaryFolder(), 'nothing');
    await expectFailure({ file }, 'backend_not_found', file);
  });

  test('bare name that is not on PATH', async () => {
    const file = 'no-such-program-anywhere';
    await expectFailure({ file }, 'backend_not_found', file);
  });

  test('directory', async () => {
    const file = temporaryFolder();
    await expectFailure({ file }, 'backend_not_executable', `${file} is a directory`);
  });

  test('file without permission', async () => {
    const file = writeProgram(join(temporaryFolder(), 'plain'), '#!/bin/sh\n', 0o644);
    const error = await expectFailure({ file }, 'backend_not_executable', file);
    expect(error.hint).toContain(`chmod +x ${file}`);
  });

  test('garbage, which the C library would hand to the shell', async () => {
    const file = writeProgram(join(temporaryFolder(), 'garbage'), Buffer.from([1, 0, 2, 0, 3]));
    await expectFailure({ file }, 'backend_not_executable', `${file} is not a program`);
  });

  test('empty file, which the shell would run successfully', async () => {
    const file = writeProgram(join(temporaryFolder(), 'empty'), '');
    await expectFailure({ file }, 'backend_not_executable', `${file} is empty`);
  });

  test.runIf(process.platform === 'linux')('binary for another processor', async () => {
    const binary = readFileSync('/bin/true');
    binary.writeUInt16LE(22, 18);
    const file = writeProgram(join(temporaryFolder(), 'foreign'), binary);
    await expectFailure({ file }, 'backend_not_executable', `${file} is not a program`);
  });

  test('script whose interpreter is missing', async () => {
    const file = writeProgram(join(temporaryFolder(), 'script'), '#!/no/such/thing -x\n');
    await expectFailure({ file }, 'backend_not_executable', '"/no/such/thing"');
  });

  test('script with CRLF, whose interpreter has an invisible last character', async () => {
    const file = writeProgram(join(temporaryFolder(), 'script'), '#!/bin/sh\r\n');
    const error = await expectFailure({ file }, 'backend_not_executable', '"/bin/sh\\r"');
    expect(error.hint).toContain('CRLF');
  });

  test('missing working directory, not mistaken for a missing file', async () => {
    const cwd = join(temporaryFolder(), 'nothing');
    await expectFailure({ cwd }, 'cwd_missing', cwd);
  });

  test('working directory that is a file', async () => {
    const cwd = writeProgram(join(temporaryFolder(), 'file'), '');
    await expectFailure({ cwd }, 'cwd_missing', `${cwd} is not a directory`);
  });

  test('argument beyond the limit of the system', async () => {
    const error = await expectFailure({ args: ['x'.repeat(4_000_000)] }, 'usage', '4000000 bytes');
    expect(error.hint).toContain('stdin');
  });

  test('argument with a null byte', async () => {
    await expectFailure({ args: ['a\0b'] }, 'usage', 'null byte');
  });
});

test('a relative path is relative to the working directory of the child', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'bin'));
  writeProgram(join(cwd, 'bin/hello'), '#!/bin/sh\necho hello\n');
  const { process, lines } = await launch({ file: './bin/hello', cwd });
  await process.closed;
  expect(lines).toEqual(['hello']);
});

test('a text file without a first line for the kernel runs in the shell, as it does in a terminal', async () => {
  const file = writeProgram(join(temporaryFolder(), 'text'), 'echo hello\n');
  const { process, lines } = await launch({ file });
  await process.closed;
  expect(lines).toEqual(['hello']);
});

test('running out of processes is retryable', () => {
  const cause = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
  expect(spawnError(cause, { file: '/bin/x', args: [], cwd: '/' })).toMatchObject({
    code: 'no_resources',
    retryable: true,
    cause,
  });
});

async function expectFailure(
  request: Partial<SpawnRequest>,
  code: ErrorCode,
  words: string,
): Promise<BatonError> {
  const error = await launch(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!BatonError.is(error)) throw new Error(`expected a BatonError, got ${String(error)}`);
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
  expect(error.hint).not.toBe('');
  return error;
}
