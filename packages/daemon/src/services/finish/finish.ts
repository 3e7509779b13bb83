import { dirname } from 'node:path';
import { type Finished, resolvePrompt, type WorkspaceRecord } from '@baton/protocol';
import { finishWire } from '@baton/protocol/wire';
import type { Store } from '@baton/store';
import { userWorkspaceSettings } from '@baton/workspaces';
import { existingSession } from '../../access/existing.ts';
import { type Principal, userIdOf } from '../../access/principal.ts';
import { queuePrompt } from '../../commands/queue-prompt.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { noteWorktrees } from '../../workspaces/note-worktrees.ts';
import { refuseWhileWorking } from '../../workspaces/refuse-while-working.ts';
import { workspaceHere } from '../../workspaces/session-files.ts';

/** Ends of the work of sessions: a commit, a merge, a pull request, or the bin. */
export function finish(context: DaemonContext): ServiceOf<'finish'> {
  const { store } = context;
  return {
    path: 'finish',
    about: 'Commits, merges, pushes or discards the work of sessions.',
    methods: {
      plan: method(finishWire.plan, {
        about: 'Says in a sentence what a finish would do; changes and executes nothing.',
        allow: ['viewer'],
        async act({ data: { session_id, request }, principal }) {
          const { path, planFinish } = await placeOf(session_id, principal);
          return planFinish({ path, request, user: userWorkspaceSettings() });
        },
      }),
      carryOut: method(finishWire.carryOut, {
        about:
          'Finishes the work of a session as planned, with the Git configuration, identity and hooks of the account of the daemon, or of its isolation. It is refused while an agent works there, and if files or branches have changed since the plan.',
        allow: ['member'],
        waits: true,
        async act({ data: { session_id, request, state }, principal }) {
          const { path, workspace, finish } = await placeOf(session_id, principal);
          await refuseWhileWorking(store, workspace);
          const done = await finish({ path, request, state, user: userWorkspaceSettings() });
          if (done.resolving) {
            const prompt = resolvePrompt(done.resolving, done.branch);
            await queuePrompt(store, session_id, { by: userIdOf(principal), prompt });
            return done;
          }
          await noteFinished(store, session_id, done, userIdOf(principal));
          if (done.discarded || done.pull_request) {
            const { records } = await context.operations({});
            await noteWorktrees(store, await records());
          }
          return done;
        },
      }),
    },
  };

  async function placeOf(sessionId: string, principal: Principal) {
    const session = await existingSession(store, sessionId, principal);
    const workspace: WorkspaceRecord = workspaceHere(session);
    const { path, repository } = workspace;
    const operations = await context.operations({
      folder: path,
      repositories: repository ? [repository] : [],
      folders: [dirname(path)],
    });
    return { ...operations, path, workspace };
  }
}

/** Adds the end of the work to the log of the session, with the user who ordered it. */
async function noteFinished(
  store: Store,
  sessionId: string,
  { action, branch, committed, merged, pushed, pull_request, files, discarded }: Finished,
  by: string | undefined,
): Promise<void> {
  if (action === 'resolve' || (!committed && !merged && !pushed && !discarded)) return;
  await store.log.append(sessionId, () => ({
    drafts: [
      {
        type: 'work.finished',
        by,
        action,
        branch: branch ?? undefined,
        commit: merged?.commit ?? committed ?? undefined,
        target: merged?.target ?? pushed?.remote,
        url: pull_request?.url,
        files,
      },
    ],
    result: undefined,
  }));
}
