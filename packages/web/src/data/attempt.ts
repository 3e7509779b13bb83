import { BatonError } from '@baton/protocol';
import { tell } from '../design/toasts.tsx';

/** The daemon's format for invalid input, such as "data.name: must be short; data.age: …". */
const INPUT = /^data[.:]/;
const INPUT_PLACE = /(^|; )data(?:\.|: )/g;

/** Runs an action and shows its error in a toast; returns true if it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Shows an error and its hint in a toast. */
export function complain(error: unknown): void {
  const { message, hint } = troubleOf(error);
  tell(message, { tone: 'bad', hint });
}

/** Returns the message and the hint of an error. */
export function troubleOf(error: unknown): { message: string; hint?: string | undefined } {
  if (BatonError.is(error)) {
    const { message, hint } = error;
    if (!INPUT.test(message)) return { message, hint };
    // The path of a field in the API call means nothing in a form.
    return { message: message.replaceAll(INPUT_PLACE, '$1') };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
