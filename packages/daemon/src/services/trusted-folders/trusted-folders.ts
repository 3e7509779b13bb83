import { isAbsolute, resolve } from 'node:path';
import { BatonError, folderTrustSchema } from '@baton/protocol';
import {
  backendEntry,
  configuredBackend,
  keepDecision,
  keptDecisions,
  loadSettings,
} from '@baton/runtime';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { readableFolder } from '../files/readable-folder.ts';

const folderSchema = z.string().min(1).max(4096);
const decisionSchema = z.strictObject({ folder: z.string(), trusted: z.boolean() });

/** Which folders agents may use the settings of, as the user of the daemon decided on its machine. */
export function trustedFolders(_context: DaemonContext): ServiceDefinition {
  return {
    path: 'trusted-folders',
    about:
      'Which folders agents may use the settings of: hooks, MCP servers, plugins and rules. Decisions are kept in the configuration of the daemon’s user and hold for everything in a folder.',
    methods: {
      find: method({
        about: 'Lists the decisions.',
        allow: ['viewer'],
        result: z.array(decisionSchema),
        async act() {
          const { trusted, untrusted } = keptDecisions();
          return [
            ...trusted.map((folder) => ({ folder, trusted: true })),
            ...untrusted.map((folder) => ({ folder, trusted: false })),
          ];
        },
      }),
      check: method({
        about:
          'Tells whether an agent may use the settings of a folder, and which ones there are. Nobody has decided yet when there is no decidedBy.',
        allow: ['member'],
        data: z.strictObject({ folder: folderSchema, backend: z.string() }),
        result: folderTrustSchema,
        async act({ data: { folder, backend } }) {
          const cwd = absolute(folder);
          const settings = loadSettings({ program: 'baton', cwd, onProblem: () => {} });
          return (await configuredBackend(backendEntry(backend).id, settings)).trustOf({ cwd });
        },
      }),
      create: method({
        about: 'Decides about a folder, in place of what was decided before.',
        allow: ['member'],
        data: decisionSchema.extend({ folder: folderSchema }),
        result: decisionSchema,
        async act({ data }) {
          const folder = await readableFolder(absolute(data.folder));
          keepDecision(folder, data.trusted);
          return { folder, trusted: data.trusted };
        },
      }),
      forget: method({
        about: 'Forgets the decision about a folder, so that people are asked again.',
        allow: ['member'],
        data: z.strictObject({ folder: folderSchema }),
        result: z.strictObject({ folder: z.string() }),
        async act({ data }) {
          const folder = absolute(data.folder);
          keepDecision(folder, undefined);
          return { folder };
        },
      }),
    },
  };
}

function absolute(folder: string): string {
  if (isAbsolute(folder) && !folder.includes('\0')) return resolve(folder);
  throw new BatonError('usage', `The folder must be an absolute path: ${folder}`, {
    hint: 'Give the path from the root of the daemon’s machine on.',
  });
}
