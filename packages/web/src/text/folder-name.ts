import { showUnseenInLine } from '@baton/protocol';

/** The last part of a path, which is how people call a folder. */
export function folderName(path: string): string {
  return showUnseenInLine(path.replace(/\/+$/, '').split('/').at(-1) || path);
}
