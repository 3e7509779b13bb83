import { style } from '../view/style.ts';
import { choiceLines } from './ask-permission.ts';
import { Keyboard } from './keyboard.ts';

const out = process.stdout;
export const ENTER = '\r';

/**
 * Says something at the terminal and asks for one of a few keys; Enter is one of them. Returns the key, or the way in
 * which the user did not answer.
 */
export async function askChoice(
  words: string,
  choices: readonly (readonly [key: string, words: string])[],
): Promise<string> {
  out.write(`${style(out, 'yellow', '?')} ${words}\n`);
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const keys = choices.map(([key]) => key).join('');
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, `${keys}${ENTER}`, new AbortController().signal);
    out.write('\n');
    return typeof typed === 'string' ? typed : typed.text;
  } finally {
    keyboard.close();
  }
}
