import type { Action } from '../action.ts';
import { withoutLastBreaks } from '../one-line.ts';
import { showUnseenInLine } from '../unseen.ts';
import { actionWords } from './action-words.ts';

/** Describes an action in one line, with visible marks for characters that cannot be seen. */
export function actionLine(name: string, action: Action, cwd?: string): string {
  const words = actionWords(name, action, cwd);
  // The end of its last line changes nothing for a command, but is a part of a path.
  return showUnseenInLine(action.type === 'command' ? withoutLastBreaks(words) : words);
}
