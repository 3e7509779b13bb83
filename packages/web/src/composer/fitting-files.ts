import { BatonError } from '@baton/protocol';

/** The daemon keeps no larger files, and cuts the connection of whoever sends much more. */
const LARGEST = 20 * 1024 ** 2;
/** So many go along with one prompt. */
const MOST = 50;

type Sized = { name: string; size: number };

/** Of files that somebody wants to attach, those that can be, and why the others cannot. */
export function fittingFiles<Attached extends Sized>(
  before: readonly Attached[],
  more: readonly Attached[],
): { files: Attached[]; refusal?: BatonError } {
  const small = more.filter(({ size }) => size <= LARGEST);
  const files = [...before, ...small].slice(0, MOST);
  const large = more.find(({ size }) => size > LARGEST);
  if (large) {
    return {
      files,
      refusal: refused(`${large.name} has more than the 20 MB that an attached file may have.`),
    };
  }
  if (before.length + small.length <= MOST) return { files };
  return { files, refusal: refused(`At most ${MOST} files can be attached.`) };
}

function refused(message: string): BatonError {
  const hint = 'Put it into the folder of the session and name it with an @.';
  return new BatonError('usage', message, { hint });
}
