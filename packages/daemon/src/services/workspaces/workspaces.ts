import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import { type WorkspaceFolder, workspacesWire } from '@baton/protocol/wire';
import {
  findRepository,
  isRepository,
  publicRecord,
  readHead,
  removeWorktree,
  restoreWorktree,
} from '@baton/workspaces';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { listWorkspaces } from './list-workspaces.ts';

/** The folders that sessions work in. */
export function workspaces(context: DaemonContext): ServiceOf<'workspaces'> {
  const { store, workspaces: home } = context;
  return {
    path: 'workspaces',
    about: 'The folders that agents work in: worktrees of their own, or the folders of users.',
    methods: {
      find: method(workspacesWire.find, {
        about:
          'Lists the worktrees of this machine with their branch, change and size, and those that sessions have on others.',
        allow: ['viewer'],
        act: ({ query }) => listWorkspaces(context, query.stale_days),
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
        async act({ data }) {
          const { git, files } = home;
          const { workspace_id: id, force } = data;
          return publicRecord(await removeWorktree({ git, files, id, force }));
        },
      }),
      restore: method(workspacesWire.restore, {
        about: 'Brings a removed worktree back: its folder, branch, commits and files.',
        allow: ['member'],
        async act({ data }) {
          const { git, files } = home;
          return publicRecord(await restoreWorktree({ git, files, id: data.workspace_id }));
        },
      }),
    },
  };

  async function inspect(folder: string): Promise<WorkspaceFolder> {
    if (!isAbsolute(folder) || folder.includes('\0')) {
      throw new BatonError('usage', `The folder must be an absolute path, not "${folder}".`);
    }
    const found = placeOf(folder);
    const head = found && found.kind !== 'bare' ? await readHead(home.git, found) : undefined;
    return {
      folder,
      repository: found?.root ?? null,
      branch: head?.branch ?? null,
      can_have_worktree: head?.head !== undefined,
      busy: await busyIn(found?.root ?? folder),
    };
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

function placeOf(folder: string) {
  try {
    const found = findRepository(folder);
    return isRepository(found) ? found : undefined;
  } catch (cause) {
    throw new BatonError('cwd_missing', `The folder does not exist: ${folder}`, { cause });
  }
}
