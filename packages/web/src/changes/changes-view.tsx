import type { SessionRecord } from '@baton/protocol';
import { useMay } from '../data/daemon.tsx';
import { FinishBar } from '../finish/finish-bar.tsx';
import { ReportedChanges } from './reported-changes.tsx';
import { TrueChangesView } from './true-changes.tsx';

type Props = {
  session: SessionRecord;
  /** Task ids of the turns, oldest first. */
  turns: readonly { task_id: string; label: string; position: number }[];
  isRunning: boolean;
  /** Opens the transcript at an entry. */
  onJump: (cursor: number) => void;
};

/** The changed files of a session: by the files themselves, or by its events if its files are not known. */
export function ChangesView({ session, ...others }: Props) {
  const may = useMay('member');
  const { session_id, workspace } = session;
  if (workspace === null) return <ReportedChanges sessionId={session_id} />;
  if (workspace.kind !== 'worktree' && workspace.problem !== null) {
    return <ReportedChanges sessionId={session_id} reason={workspace.problem} />;
  }
  const canFinish =
    may && !others.isRunning && workspace.branch !== null && workspace.state !== 'removed';
  return (
    <>
      {canFinish && <FinishBar session={session} />}
      <TrueChangesView session={session} {...others} />
    </>
  );
}
