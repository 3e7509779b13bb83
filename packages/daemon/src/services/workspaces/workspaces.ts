import { hostname } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import { type WorkspaceFolder, workspacesWire } from '@baton/protocol/wire';
import { publicRecord, type WorkspaceOperations } from '@baton/workspaces';
import { isOwner, type Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { refuseWhileRunning } from '../../workspaces/session-files.ts';
import { listWorkspaces } from './list-workspaces.ts';

/** The folders that sessions work in. */
export function workspaces(context: DaemonContext): ServiceOf<'workspaces'> {
  const { store } = context;
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
          'Removes a worktree. It is refused if work would be lost, unless forced; either way it can be restored for 30 days.',
        allow: ['member'],
        async act({ data, principal }) {
          const { workspace_id: id, force } = data;
          const { remove } = await changeable(id, principal);
          return publicRecord(await remove({ id, force }));
        },
      }),
      restore: method(workspacesWire.restore, {
        about: 'Brings a removed worktree back: its folder, branch, commits and files.',
        allow: ['member'],
        async act({ data, principal }) {
          const { workspace_id: id } = data;
          const { restore } = await changeable(id, principal);
          return publicRecord(await restore({ id }));
        },
      }),
    },
  };

  async function inspect(folder: string): Promise<WorkspaceFolder> {
    if (!isAbsolute(folder) || folder.includes('\0')) {
      throw new BatonError('usage', `The folder must be an absolute path, not "${folder}".`);
    }
    const operations = await context.operations({ folder });
    const { root, branch, canHaveWorktree } = await operations.inspect({ path: folder });
    return {
      folder,
      repository: root,
      branch,
      can_have_worktree: canHaveWorktree,
      busy: await busyIn(root ?? folder),
    };
  }

  /**
   * Returns the operations for a worktree that the caller may change: one of a session of this daemon in which no agent
   * works, as members may change any session. What others made on this machine is for owners only.
   */
  async function changeable(id: string, principal: Principal): Promise<WorkspaceOperations> {
    const { records } = await context.operations({});
    const record = (await records()).find(({ workspace_id }) => workspace_id === id);
    const session = record?.session_id
      ? await store.records.sessions.get(record.session_id)
      : undefined;
    if (!record || (!session && !isOwner(principal))) {
      throw new BatonError('not_found', `Workspace "${id}" not found.`);
    }
    if (session) await refuseWhileRunning(store, session.session_id);
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
