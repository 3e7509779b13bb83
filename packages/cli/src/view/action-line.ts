import { type Action, actionWords, showUnseen } from '@baton/protocol';

/** What a tool does, in one line, with marks for everything in it that cannot be seen there. */
export function actionLine(name: string, action: Action, cwd?: string): string {
  return showUnseen(actionWords(name, action, cwd).trim()).replaceAll('\n', ' ⏎ ');
}
