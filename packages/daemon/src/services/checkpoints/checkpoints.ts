import type { FileDifference } from '@baton/protocol';
import { checkpointsWire } from '@baton/protocol/wire';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { refuseWhileRunning, workspaceHere } from '../../workspaces/session-files.ts';

/** Checkpoints of the files of sessions. */
export function checkpoints(context: DaemonContext): ServiceOf<'checkpoints'> {
  const { store } = context;
  return {
    path: 'checkpoints',
    about: 'The files of sessions at the start and the end of each turn.',
    methods: {
      find: method(checkpointsWire.find, {
        about: 'Lists the checkpoints of a session, oldest first.',
        allow: ['viewer'],
        async act({ query, principal }) {
          const session = await existingSession(store, query.session_id, principal);
          const { path } = workspaceHere(session);
          const operations = await context.operations({ folder: path });
          return operations.checkpoints({ path, sessionId: session.session_id });
        },
      }),
      undo: method(checkpointsWire.undo, {
        about:
          'Brings the files of a session back to the start of a turn, or to a checkpoint. The present files become a checkpoint first.',
        allow: ['member'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          const { path } = workspaceHere(session);
          const { session_id: sessionId } = session;
          await refuseWhileRunning(store, sessionId);
          const { task_id: taskId, paths, checkpoint } = data;
          const { undo } = await context.operations({ folder: path });
          const { before, files, total, target } = await undo({
            path,
            sessionId,
            taskId,
            paths,
            checkpoint,
          });
          await tell(sessionId, wordsOf(target, { files, total }));
          return { before, files: [...files], total };
        },
      }),
    },
  };

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
