import type { WidenedRight } from '@baton/orchestra';
import { showUnseenInLine } from '@baton/protocol/values';
import { choiceLines } from '../../terminal/ask-permission.ts';
import { Keyboard } from '../../terminal/keyboard.ts';
import { oneLine, style } from '../../view/style.ts';

const out = process.stdout;
const WIDEST = 120;

/** Shows what a chains file allows its agents, and asks whether that is right. Anything but a yes is a no. */
export async function askChainsTrust(
  file: string,
  rights: readonly WidenedRight[],
): Promise<boolean> {
  const name = style(out, 'bold', showUnseenInLine(file));
  out.write(`${style(out, 'yellow', '?')} Do you trust ${name}?\n`);
  if (rights.length > 0) out.write(style(out, 'dim', '  It allows its agents:\n'));
  for (const right of rights) {
    out.write(`    ${oneLine(showUnseenInLine(rightLine(right)), WIDEST)}\n`);
  }
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const choices = [
      ['y', 'yes, until the file changes'],
      ['n', 'no'],
    ] as const;
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, 'yn', new AbortController().signal);
    const key = typeof typed === 'object' ? typed.text : '';
    out.write(`${key}\n`);
    return key === 'y';
  } finally {
    keyboard.close();
  }
}

/** A right in one line; one of the whole chain has no step. */
export function rightLine({ step, what, value }: WidenedRight): string {
  return `${step === '' ? 'all steps' : step}: ${what} ${value}`;
}
