import { BatonError, type FileDifference } from '@baton/protocol';
import { checkpointsWire } from '@baton/protocol/wire';
import {
  type Checkpoint,
  checkpointRecord,
  checkpointsOf,
  type PrivateRepository,
  type Restored,
  restore,
  undoTurn,
} from '@baton/workspaces';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { sessionFiles } from '../../workspaces/session-files.ts';

type GoBack = { sessionId: string; checkpoint: number; paths: string[] | undefined };

/** Checkpoints of the files of sessions. */
export function checkpoints({ store, workspaces }: DaemonContext): ServiceOf<'checkpoints'> {
  return {
    path: 'checkpoints',
    about: 'The files of sessions at the start and the end of each turn.',
    methods: {
      find: method(checkpointsWire.find, {
        about: 'Lists the checkpoints of a session, oldest first.',
        allow: ['viewer'],
        async act({ query, principal }) {
          const session = await existingSession(store, query.session_id, principal);
          const { repository } = await sessionFiles(workspaces, session);
          return (await checkpointsOf(repository, session.session_id)).map(checkpointRecord);
        },
      }),
      undo: method(checkpointsWire.undo, {
        about:
          'Brings the files of a session back to the start of a turn, or to a checkpoint. The present files become a checkpoint first.',
        allow: ['member'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          await refuseWhileRunning(session.session_id);
          const { repository } = await sessionFiles(workspaces, session);
          const { session_id: sessionId } = session;
          const { task_id: taskId, paths, checkpoint } = data;
          const { before, changes, target } =
            checkpoint === undefined
              ? await undoTurn(repository, { sessionId, taskId, paths })
              : await goBack(repository, { sessionId, checkpoint, paths });
          await tell(session.session_id, wordsOf(target.number, changes));
          return {
            before: checkpointRecord(before),
            files: [...changes.files],
            total: changes.total,
          };
        },
      }),
    },
  };

  /** Brings all files, or some, back to a checkpoint of the session. */
  async function goBack(
    repository: PrivateRepository,
    { sessionId, checkpoint, paths }: GoBack,
  ): Promise<Restored & { target: Checkpoint }> {
    const all = await checkpointsOf(repository, sessionId);
    const target = all.find(({ number }) => number === checkpoint);
    if (!target) {
      throw new BatonError('not_found', `The session has no checkpoint ${checkpoint}.`);
    }
    const note = { sessionId };
    return { ...(await restore(repository, { tree: target.tree, paths, note })), target };
  }

  /** An agent that works while its files are taken back would mix both states. */
  async function refuseWhileRunning(sessionId: string): Promise<void> {
    const running = await store.records.tasks.find({
      where: { session_id: sessionId, status: ['RUNNING', 'STOPPING', 'AWAITING_PERMISSION'] },
    });
    if (running.length === 0) return;
    throw new BatonError('conflict', 'The agent is still working in these files.', {
      hint: 'Stop the task first, then undo.',
    });
  }

  async function tell(sessionId: string, message: string): Promise<void> {
    await store.log.append(sessionId, () => ({
      drafts: [{ type: 'session.notice', level: 'info', code: 'undone', message }],
      result: undefined,
    }));
  }
}

function wordsOf(
  number: number,
  { files, total }: { files: readonly FileDifference[]; total: number },
): string {
  if (total === 0) return `The files are already as at checkpoint ${number}.`;
  const names = files.slice(0, 3).map(({ path }) => path);
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return `Restored the files of checkpoint ${number}: ${names.join(', ')}${more}.`;
}
