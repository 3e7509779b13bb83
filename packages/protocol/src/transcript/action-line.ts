import type { Action } from '../action.ts';
import { withoutLastBreaks } from '../one-line.ts';
import { showUnseenInLine } from '../unseen.ts';
import { actionWords } from './action-words.ts';

/** What a tool does, in one line, with marks for everything in it that cannot be seen there. */
export function actionLine(name: string, action: Action, cwd?: string): string {
  const words = actionWords(name, action, cwd);
  // The end of its last line changes nothing for a command, but is a part of a path.
  return showUnseenInLine(action.type === 'command' ? withoutLastBreaks(words) : words);
}
