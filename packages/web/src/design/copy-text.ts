import { tell } from './toasts.tsx';

/** Puts a text on the clipboard; tells whether it is there, and says what to do where it is not. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Browsers keep the clipboard from pages that are neither local nor encrypted.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const hint = 'Select the text and copy it.';
    tell('Couldn’t access the clipboard.', { tone: 'bad', hint });
    return false;
  }
}
