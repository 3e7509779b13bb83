import { BatonError } from '@baton/protocol';

/** The daemon rejects larger files, and closes the connection of a client that sends much more. */
const LARGEST = 20 * 1024 ** 2;
/** The maximum number of files per prompt. */
const MOST = 50;

type Sized = { name: string; size: number };

/** Splits the selected files into those that can be attached, and the reason for the others. */
export function attachableFiles<Attached extends Sized>(
  before: readonly Attached[],
  more: readonly Attached[],
): { files: Attached[]; refusal?: BatonError } {
  const small = more.filter(({ size }) => size <= LARGEST);
  const files = [...before, ...small].slice(0, MOST);
  const large = more.find(({ size }) => size > LARGEST);
  if (large) {
    return {
      files,
      refusal: refused(`${large.name} exceeds the 20 MB attachment limit.`),
    };
  }
  if (before.length + small.length <= MOST) return { files };
  return { files, refusal: refused(`At most ${MOST} files can be attached.`) };
}

function refused(message: string): BatonError {
  const hint = 'Put it in the session folder and mention it with @.';
  return new BatonError('usage', message, { hint });
}
