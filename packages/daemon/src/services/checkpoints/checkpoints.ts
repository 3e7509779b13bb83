import { checkpointsWire } from '@baton/protocol/wire';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { noteRestored } from '../../workspaces/note-restored.ts';
import { refuseWhileWorking } from '../../workspaces/refuse-while-working.ts';
import { workspaceHere } from '../../workspaces/session-files.ts';

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
          const workspace = workspaceHere(session);
          await refuseWhileWorking(store, workspace);
          const { path } = workspace;
          const { session_id: sessionId } = session;
          const { task_id: taskId, paths, checkpoint } = data;
          const { undo } = await context.operations({ folder: path });
          const { before, files, total, target, kept } = await undo({
            path,
            sessionId,
            taskId,
            paths,
            checkpoint,
          });
          await noteRestored(store, sessionId, { number: target, files, total, kept });
          return { before, files: [...files], total, kept: [...kept] };
        },
      }),
    },
  };
}
