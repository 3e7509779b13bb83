import { BatonError } from '@baton/protocol';
import { tell } from '../design/toasts.tsx';

/** Does something, and says at the edge of the page when it did not work; tells whether it did. */
export async function attempt(deed: () => Promise<unknown>): Promise<boolean> {
  try {
    await deed();
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
  if (BatonError.is(error)) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : String(error) };
}
