import { isAbsolute, relative, resolve } from 'node:path';
import { BatonError, ChangedFiles } from '@baton/protocol';
import { type ChangeOrigin, changesWire, type TrueChange } from '@baton/protocol/wire';
import type { SessionRow } from '@baton/store';
import type { z } from 'zod';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import {
  isHere,
  refuseElsewhere,
  runningTask,
  sessionWorkspace,
  workspaceHere,
} from '../../workspaces/session-files.ts';
import { ChangeRequests } from './change-requests.ts';
import { overlapsOf } from './overlaps.ts';
import {
  type ReportedChanges,
  reportedChanges,
  reportedPatch,
  storeReport,
} from './reported-changes.ts';

type Query = z.output<typeof changesWire.find.query>;

/** Size of a patch in one response. */
const MAX_PATCH_BYTES = 2 * 1024 * 1024;
/** Size of a file in one response. */
const MAX_CONTENT_BYTES = 5 * 1024 * 1024;

/** The true changes of sessions. */
export function changes({ store, operations }: DaemonContext): ServiceOf<'changes'> {
  const requests = new ChangeRequests();
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
          const { root, turns, at, ...found } = await changesOf(session, query);
          const origin = await originOf(
            session,
            root,
            new Map(turns.map(({ path, tasks }) => [path, tasks])),
          );
          const files: TrueChange[] = found.files.map((file) => ({
            ...file,
            origin: origin(file.path),
          }));
          const gaps = found.gaps.map((gap) => ({ ...gap, paths: [...gap.paths] }));
          return { ...found, files, gaps, as_of: new Date(at).toISOString() };
        },
      }),
      diff: method(changesWire.diff, {
        about: 'Returns the difference of two trees as a patch, for one file or all.',
        allow: ['viewer'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          const { path, old_path, from, to } = data;
          const reported = await reportedPatch(store, session, data);
          if (reported) return reported;
          const workspace = workspaceHere(session);
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
      content: method(changesWire.content, {
        about: 'Returns a file of one side of the difference, such as an image.',
        allow: ['viewer'],
        async act({ data, principal }) {
          const session = await existingSession(store, data.session_id, principal);
          const { path } = workspaceHere(session);
          const { content } = await operations({ folder: path });
          const { tree, path: file } = data;
          return content({ path, tree, file, maxBytes: MAX_CONTENT_BYTES });
        },
      }),
      report: method(changesWire.report, {
        about:
          'Stores the change of files that the daemon cannot read, such as those on another machine.',
        allow: ['executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          await existingSession(store, principal.claims.sessionId, principal);
          await storeReport(store, principal.claims, data);
          return {};
        },
      }),
      wait: method(changesWire.wait, {
        about:
          'Waits until somebody wants to see the change of the session, for an executor whose files the daemon cannot read.',
        allow: ['executor'],
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          await existingSession(store, principal.claims.sessionId, principal);
          return { is_asked: await requests.next(principal.claims.taskId, data.wait_ms) };
        },
      }),
      answer: method(changesWire.answer, {
        about: 'Ends the wait for a change that the executor has reported.',
        allow: ['executor'],
        async act({ principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          await existingSession(store, principal.claims.sessionId, principal);
          requests.answered(principal.claims.taskId);
          return {};
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

  /** Reads the files on this machine, or else what their executor reported. */
  async function changesOf(session: SessionRow, query: Query): Promise<ReportedChanges> {
    const { compare, task_id: taskId, ignore_space: ignoreSpace } = query;
    const stored = () => reportedChanges(store, session, { compare, taskId });
    const workspace = sessionWorkspace(session);
    if (!isHere(workspace)) {
      const task = await runningTask(store, session.session_id);
      if (task !== undefined) await requests.ask(task);
      return (await stored()) ?? refuseElsewhere(workspace);
    }
    const { path, kind, problem, base_commit: baseCommit } = workspace;
    if (kind !== 'worktree' && problem !== null) throw new BatonError('conflict', problem);
    const { changes } = await operations({ folder: path });
    const { session_id: sessionId } = session;
    try {
      const asked = { path, compare, sessionId, taskId, baseCommit, ignoreSpace };
      return { ...(await changes(asked)), at: store.now() };
    } catch (error) {
      // An executor of another user on this machine keeps its checkpoints where the daemon does not find them.
      const found = await stored();
      if (found) return found;
      throw error;
    }
  }

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
