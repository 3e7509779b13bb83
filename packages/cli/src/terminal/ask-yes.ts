import { style } from '../view/style.ts';
import { Keyboard } from './keyboard.ts';

const out = process.stdout;

/** Says at the terminal what is about to happen, and waits for a line; everything but a yes is a no. */
export async function askYes(sentence: string): Promise<'yes' | 'no' | 'interrupted'> {
  out.write(`${style(out, 'yellow', '?')} ${sentence}\n`);
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const typed = await keyboard.line('  Do it? [y/N] ', new AbortController().signal);
    if (typed === 'interrupted') return typed;
    return typed !== 'declined' && /^y(es)?$/i.test(typed.text.trim()) ? 'yes' : 'no';
  } finally {
    keyboard.close();
  }
}
