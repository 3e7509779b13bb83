import type { WorkspaceRequest } from '@baton/protocol/values';
import { style } from '../view/style.ts';
import { choiceLines } from './ask-permission.ts';
import { Keyboard } from './keyboard.ts';

const out = process.stdout;
const ENTER = '\r';

/** Asks the user at the terminal where a session works beside others; Enter chooses a new worktree. */
export async function askPlace(words: string): Promise<WorkspaceRequest | 'interrupted'> {
  out.write(`${style(out, 'yellow', '?')} ${words}. Where should the agent work?\n`);
  const keyboard = new Keyboard();
  keyboard.open();
  try {
    const choices = [
      ['w', 'in a new worktree (Enter)'],
      ['i', 'in this folder'],
    ] as const;
    const question = choiceLines(choices, out.columns || 80);
    const typed = await keyboard.key(question, `wi${ENTER}`, new AbortController().signal);
    out.write('\n');
    if (typeof typed === 'string') return 'interrupted';
    return { kind: typed.text === 'i' ? 'in_place' : 'worktree' };
  } finally {
    keyboard.close();
  }
}
