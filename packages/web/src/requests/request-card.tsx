import type { SessionRecord } from '@baton/protocol';
import type { Asked } from './asked.ts';
import { PermissionCard } from './permission-card.tsx';
import { QuestionCard } from './question-card.tsx';

/** What an agent asks of a person, with the ways to answer; the same in a session and in the inbox. */
export function RequestCard({
  asked,
  session,
}: {
  asked: Asked;
  /** Nothing as long as it is not known. */
  session: Pick<SessionRecord, 'cwd'> | undefined;
}) {
  return asked.kind === 'permission' ? (
    <PermissionCard asked={asked} cwd={session?.cwd} />
  ) : (
    <QuestionCard asked={asked} />
  );
}
