import { hostname } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import { type WorkspaceFolder, workspacesWire } from '@baton/protocol/wire';
import {
  publicRecord,
  type StoredWorkspace,
  userWorkspaceSettings,
  type WorkspaceOperations,
} from '@baton/workspaces';
import { isOwner, type Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { noteWorktrees } from '../../workspaces/note-worktrees.ts';
import { refuseWhileWorking } from '../../workspaces/refuse-while-working.ts';
import { listWorkspaces } from './list-workspaces.ts';
import { scriptConfinement } from './script-confinement.ts';

/** The folders that sessions work in. */
export function workspaces(context: DaemonContext): ServiceOf<'workspaces'> {
  const { store, scriptRuns } = context;
  return {
    path: 'workspaces',
    about: 'The folders that agents work in: worktrees of their own, or the folders of users.',
    methods: {
      find: method(workspacesWire.find, {
        about:
          'Lists the worktrees of this machine with their branch, change and size, and those that sessions have on others.',
        allow: ['viewer'],
        act: ({ query, principal }) =>
          listWorkspaces(context, { staleDays: query.stale_days, principal }),
      }),
      inspect: method(workspacesWire.inspect, {
        about:
          'Describes a folder for the start of a session: its repository, and who works there.',
        allow: ['member'],
        act: ({ data }) => inspect(data.folder),
      }),
      removeWorktree: method(workspacesWire.removeWorktree, {
        about:
          'Stops the dev server of a worktree, runs its cleanup script and removes it. It is refused if work would be lost or the script fails, unless forced; either way it can be restored for 30 days.',
        allow: ['member'],
        waits: true,
        async act({ data, principal }) {
          const { workspace_id: id, force } = data;
          const { remove } = await changeable(id, principal);
          if (force) await scriptRuns.stop(id, 'setup');
          const user = userWorkspaceSettings();
          const { record, cleanup } = await remove({ id, force, user });
          await noteWorktrees(store, [record]);
          return {
            ...publicRecord(record),
            cleanup: cleanup
              ? {
                  exit_code: cleanup.exitCode,
                  problem: cleanup.problem ?? null,
                  output: [...cleanup.output],
                }
              : null,
          };
        },
      }),
      scripts: method(workspacesWire.scripts, {
        about:
          'Returns the setup and the dev server of a worktree of this machine: state, exit code, last lines of output and ports.',
        allow: ['viewer'],
        async act({ data: { workspace_id: id }, principal }) {
          return scriptRuns.find(id, await operationsOf(await known(id, principal)));
        },
      }),
      startScript: method(workspacesWire.startScript, {
        about:
          'Starts the dev server of a worktree, or its setup again. Only scripts of trusted folders and of the settings of the user of the daemon run, in the isolation of agents.',
        allow: ['member'],
        waits: true,
        async act({ data: { workspace_id: id, script }, principal }) {
          const operations = await operationsOf(await known(id, principal));
          const confine = await scriptConfinement(context, id);
          await scriptRuns.start(id, script, { operations, confine });
          return scriptRuns.find(id, operations);
        },
      }),
      stopScript: method(workspacesWire.stopScript, {
        about: 'Stops the dev server or the setup of a worktree with everything that it started.',
        allow: ['member'],
        async act({ data: { workspace_id: id, script }, principal }) {
          const operations = await operationsOf(await known(id, principal));
          await scriptRuns.stop(id, script);
          return scriptRuns.find(id, operations);
        },
      }),
      restore: method(workspacesWire.restore, {
        about: 'Brings a removed worktree back: its folder, branch, commits and files.',
        allow: ['member'],
        async act({ data, principal }) {
          const { workspace_id: id } = data;
          const { restore } = await changeable(id, principal);
          const record = await restore({ id });
          await noteWorktrees(store, [record]);
          return publicRecord(record);
        },
      }),
    },
  };

  async function inspect(folder: string): Promise<WorkspaceFolder> {
    if (!isAbsolute(folder) || folder.includes('\0')) {
      throw new BatonError('usage', `The folder must be an absolute path, not "${folder}".`);
    }
    const operations = await context.operations({ folder });
    const { root, branch, canHaveWorktree, defaultKind } = await operations.inspect({
      path: folder,
      user: userWorkspaceSettings(),
    });
    return {
      folder,
      repository: root,
      branch,
      can_have_worktree: canHaveWorktree,
      default_kind: defaultKind,
      busy: await busyIn(root ?? folder),
    };
  }

  /**
   * Returns the record of a worktree that the caller may see: one of a session of this daemon, as members may change any
   * session. Those that others made on this machine are for owners only.
   */
  async function known(id: string, principal: Principal) {
    const { records } = await context.operations({});
    const record = (await records()).find(({ workspace_id }) => workspace_id === id);
    const session = record?.session_id
      ? await store.records.sessions.get(record.session_id)
      : undefined;
    if (record && (session || isOwner(principal))) return { record, session };
    throw new BatonError('not_found', `Workspace "${id}" not found.`);
  }

  /** Returns the operations for a worktree that the caller may change, because no agent works in it. */
  async function changeable(id: string, principal: Principal): Promise<WorkspaceOperations> {
    const { record, session } = await known(id, principal);
    if (session) await refuseWhileWorking(store, record);
    return operationsOf({ record });
  }

  /** Returns the operations for a worktree and its repository. */
  function operationsOf({ record }: { record: StoredWorkspace }): Promise<WorkspaceOperations> {
    const { path, repository } = record;
    const repositories = repository ? [repository] : [];
    return context.operations({ repositories, folders: [dirname(path)] });
  }

  /** Sessions with open tasks that share the folder. */
  async function busyIn(root: string): Promise<WorkspaceFolder['busy']> {
    const open = await store.openSessions();
    return open.flatMap(({ session_id, title, workspace: json }) => {
      const workspace = json === null ? undefined : (JSON.parse(json) as WorkspaceRecord);
      const isThere = workspace?.host === hostname() && workspace.path === root;
      return isThere ? [{ session_id, title }] : [];
    });
  }
}
