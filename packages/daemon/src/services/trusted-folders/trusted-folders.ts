import { isAbsolute, resolve } from 'node:path';
import { loadSettings } from '@baton/config/settings';
import { keptDecisions } from '@baton/config/settings/keep-decision';
import { BatonError } from '@baton/protocol';
import { trustedFoldersWire } from '@baton/protocol/wire';
import { decideTrust } from '@baton/workspaces';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { readableFolder } from '../files/readable-folder.ts';

/** Service for folder trust: the folders whose settings agents may use, as decided by the daemon's user. */
export function trustedFolders({ baton, workspaces }: DaemonContext): ServiceOf<'trusted-folders'> {
  return {
    path: 'trusted-folders',
    about:
      "Folders whose settings agents may use: hooks, MCP servers, plugins and rules. Decisions are stored for the daemon's user and apply to everything in a folder.",
    methods: {
      find: method(trustedFoldersWire.find, {
        about: 'Lists the decisions.',
        allow: ['viewer'],
        async act() {
          const { trusted, untrusted } = keptDecisions();
          return [
            ...trusted.map((folder) => ({ folder, trusted: true })),
            ...untrusted.map((folder) => ({ folder, trusted: false })),
          ];
        },
      }),
      check: method(trustedFoldersWire.check, {
        about:
          'Returns whether an agent may use the settings in a folder, and which settings it has. Without `decidedBy`, no decision has been made.',
        allow: ['member'],
        async act({ data: { folder, backend } }) {
          const cwd = absolute(folder);
          const settings = loadSettings({ program: 'baton', cwd, onProblem: () => {} });
          const agent = await baton.withSettings(settings).load(baton.backend(backend));
          return agent.trustOf({ cwd });
        },
      }),
      create: method(trustedFoldersWire.create, {
        about: 'Sets the decision for a folder, replacing an earlier one.',
        allow: ['member'],
        async act({ data }) {
          const folder = await readableFolder(absolute(data.folder));
          decideTrust(workspaces, folder, data.trusted);
          return { folder, trusted: data.trusted };
        },
      }),
      forget: method(trustedFoldersWire.forget, {
        about: 'Deletes the decision for a folder. Users are asked again.',
        allow: ['member'],
        async act({ data }) {
          const folder = absolute(data.folder);
          decideTrust(workspaces, folder, undefined);
          return { folder };
        },
      }),
    },
  };
}

function absolute(folder: string): string {
  if (isAbsolute(folder) && !folder.includes('\0')) return resolve(folder);
  throw new BatonError('usage', `The folder must be an absolute path: ${folder}`, {
    hint: "Pass an absolute path on the daemon's machine.",
  });
}
