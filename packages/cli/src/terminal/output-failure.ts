import { errorInfo } from '@baton/protocol/values';
import { EXIT } from '../exit-codes.ts';
import { errorLines } from '../view/error-lines.ts';

/**
 * Reports once why the output could not be written, and makes the program fail; a reader that closes the pipe early is
 * no failure.
 */
export function reportOutputFailure(): void {
  let failed = false;
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (failed || isReaderGone(cause.code)) return;
    failed = true;
    const error = errorInfo('internal', `Cannot write the output: ${cause.message}`, {
      hint: 'Free some space, or redirect the output elsewhere.',
    });
    process.stderr.write(`${errorLines(error).join('\n')}\n`);
    // Whatever the command itself made of it.
    process.once('exit', () => {
      process.exitCode = EXIT.failed;
    });
  });
}

/** True if the reader is gone: a pipe without its reader, or a closed terminal. */
function isReaderGone(code: string | undefined): boolean {
  if (code === 'EIO') return process.stdout.isTTY;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
