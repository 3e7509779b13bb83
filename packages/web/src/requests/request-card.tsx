import type { SessionRecord } from '@baton/protocol';
import type { Asked } from './asked.ts';
import { PermissionCard } from './permission-card.tsx';
import { QuestionCard } from './question-card.tsx';

/** A request of an agent, with the ways to answer it; the same in a session and in the inbox. */
export function RequestCard({
  asked,
  session,
}: {
  asked: Asked;
  /** Undefined while it loads. */
  session: Pick<SessionRecord, 'cwd'> | undefined;
}) {
  return asked.kind === 'permission' ? (
    <PermissionCard asked={asked} cwd={session?.cwd} />
  ) : (
    <QuestionCard asked={asked} />
  );
}
