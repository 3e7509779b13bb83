import { type SessionRecord, showUnseenInText } from '@baton/protocol';

/** The title of a session, or its folder; agents choose titles, so what cannot be seen is a mark. */
export function sessionTitle({ title, cwd }: Pick<SessionRecord, 'title' | 'cwd'>): string {
  return showUnseenInText(title || cwd);
}
