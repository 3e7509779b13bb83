import { isAbsolute, relative, resolve } from 'node:path';
import { ChangedFiles } from '@baton/protocol';
import { type ChangeOrigin, changesWire, type TrueChange } from '@baton/protocol/wire';
import type { SessionRow } from '@baton/store';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { workspaceHere } from '../../workspaces/session-files.ts';
import { overlapsOf } from './overlaps.ts';

/** Size of a patch in one response. */
const MAX_PATCH_BYTES = 2 * 1024 * 1024;

/** The true changes of sessions. */
export function changes({ store, operations }: DaemonContext): ServiceOf<'changes'> {
  return {
    path: 'changes',
    about:
      'The files that differ, by the files themselves: changes of commands and of other people included.',
    methods: {
      find: method(changesWire.find, {
        about:
          'Compares the files of a session with those at the start of a turn, of the session, or of its branch.',
        allow: ['viewer'],
        async act({ query, principal }) {
          const session = await existingSession(store, query.session_id, principal);
          const { path, base_commit: baseCommit } = workspaceHere(session);
          const { changes } = await operations({ folder: path });
          const { root, turns, ...found } = await changes({
            path,
            compare: query.compare,
            sessionId: session.session_id,
            taskId: query.task_id,
            baseCommit,
            ignoreSpace: query.ignore_space,
          });
          const origin = await originOf(session, root, new Map(turns));
          const files: TrueChange[] = found.files.map((file) => ({
            ...file,
            origin: origin(file.path),
          }));
          const gaps = found.gaps.map((gap) => ({ ...gap, paths: [...gap.paths] }));
          return { ...found, files, gaps, as_of: new Date(store.now()).toISOString() };
        },
      }),
      diff: method(changesWire.diff, {
        about: 'Returns the difference of two trees as a patch, for one file or all.',
        allow: ['viewer'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          const workspace = workspaceHere(session);
          const { path, old_path, from, to } = data;
          const { diff } = await operations({ folder: workspace.path });
          return diff({
            path: workspace.path,
            from,
            to,
            ...(path === undefined ? {} : { files: [{ path, old_path }] }),
            contextLines: data.context,
            ignoreSpace: data.ignore_space,
            maxBytes: MAX_PATCH_BYTES,
          });
        },
      }),
      overlaps: method(changesWire.overlaps, {
        about: 'Lists other running sessions of the same repository that change the same files.',
        allow: ['viewer'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          return overlapsOf(store, session);
        },
      }),
    },
  };

  /** Returns a function that tells the cause of a changed file, from the edits and tools of the turns that changed it. */
  async function originOf(
    { session_id: sessionId, cwd }: SessionRow,
    root: string,
    turns: ReadonlyMap<string, readonly string[]>,
  ): Promise<(path: string) => ChangeOrigin> {
    const edited = new ChangedFiles(cwd);
    for await (const entry of store.fileEntries(sessionId)) edited.take(entry);
    const edits = new Map(
      edited.list().map(({ path, pieces }) => {
        const real = isAbsolute(path) ? path : resolve(cwd, path);
        return [relative(root, real), pieces];
      }),
    );
    const active = await store.activeTasks(sessionId);
    return (path) => {
      const tasks = turns.get(path) ?? [];
      const edit = edits.get(path)?.findLast(({ taskId }) => tasks.includes(taskId ?? ''));
      if (edit) return { by: 'agent', task_id: edit.taskId ?? null, cursor: edit.cursor };
      const task = tasks.findLast((each) => active.has(each));
      if (task) return { by: 'command', task_id: task, cursor: null };
      return { by: 'other', task_id: null, cursor: null };
    };
  }
}
