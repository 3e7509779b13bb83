import { BatonError } from '@baton/protocol';
import { tell } from '../design/toasts.tsx';

/** As the daemon says what is wrong with the input of a call, such as "data.name: must be short; data.age: …". */
const INPUT = /^data[.:]/;
const INPUT_PLACE = /(^|; )data(?:\.|: )/g;

/** Does something, and says at the edge of the page when it did not work; tells whether it did. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** Says at the edge of the page what went wrong, and what to do about it. */
export function complain(error: unknown): void {
  const { message, hint } = troubleOf(error);
  tell(message, { tone: 'bad', hint });
}

/** What went wrong, and what to do about it. */
export function troubleOf(error: unknown): { message: string; hint?: string | undefined } {
  if (BatonError.is(error)) {
    const { message, hint } = error;
    if (!INPUT.test(message)) return { message, hint };
    // The path of a field in the API call means nothing in a form.
    return { message: message.replaceAll(INPUT_PLACE, '$1') };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
