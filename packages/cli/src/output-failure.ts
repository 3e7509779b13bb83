import { errorInfo } from '@baton/protocol';
import { EXIT } from './exit-codes.ts';
import { errorLines } from './view/error.ts';

/** Says why the output could not be written, once, and makes the program fail; a reader who has read enough is no failure. */
export function reportOutputFailure(): void {
  let failed = false;
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (failed || isReaderGone(cause.code)) return;
    failed = true;
    const error = errorInfo('internal', `The output could not be written: ${cause.message}`, {
      hint: 'Make room, or send the output elsewhere.',
    });
    process.stderr.write(`${errorLines(error).join('\n')}\n`);
    // Whatever the command itself made of it.
    process.once('exit', () => {
      process.exitCode = EXIT.failed;
    });
  });
}

/** Whether there is nobody to write to any more: a pipe without its reader, or a terminal that was closed. */
function isReaderGone(code: string | undefined): boolean {
  if (code === 'EIO') return process.stdout.isTTY;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
