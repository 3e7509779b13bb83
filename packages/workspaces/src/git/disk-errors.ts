import { BatonError } from '@baton/protocol/values';

const FULL = /No space left on device|Disk quota exceeded|unable to write/i;

/** Waits for an operation that writes files; rejects with `no_resources` and a clear message if the disk is full. */
export async function withDiskErrors<Result>(operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

/** True for errors of Git and of the file system that mean a full disk; Git does not always say why a write failed. */
function isDiskFull(error: unknown): error is Error {
  if (BatonError.is(error)) return error.code === 'git_failed' && FULL.test(error.message);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function diskFull(cause: Error): BatonError {
  const message = `The disk is full, or a limit is reached: ${cause.message}`;
  return new BatonError('no_resources', message, {
    hint: 'Free disk space, and try again.',
    cause,
  });
}
