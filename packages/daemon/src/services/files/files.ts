import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { existingSession } from '../existing.ts';
import { bestMatches } from './best-matches.ts';
import { listFiles } from './list-files.ts';
import { readableFolder } from './readable-folder.ts';

const querySchema = z
  .strictObject({
    session_id: z.string().optional(),
    cwd: z.string().max(4096).optional(),
    search: z.string().max(500).default(''),
    limit: z.coerce.number().int().min(1).max(500).default(50),
  })
  .refine(
    ({ session_id, cwd }) => (session_id === undefined) !== (cwd === undefined),
    'Name either a session or a folder.',
  );

/** The names of the files that a prompt may speak of. */
export function files({ store }: DaemonContext): ServiceDefinition {
  const folderOf = async (query: z.output<typeof querySchema>, principal: Principal) => {
    const { session_id, cwd = '' } = query;
    return session_id === undefined
      ? cwd
      : (await existingSession(store, session_id, principal)).cwd;
  };
  return {
    path: 'files',
    about: 'The names of the files that a prompt may speak of.',
    methods: {
      find: method({
        about:
          'Finds files in the folder of a session, or in any folder, by some letters of their paths, the best first; without what Git or its .gitignore leaves out.',
        allow: ['member'],
        query: querySchema,
        result: z.strictObject({
          /** The folder that the paths begin at. */
          cwd: z.string(),
          data: z.array(z.strictObject({ path: z.string(), kind: z.enum(['file', 'folder']) })),
          /** False when there was too much to look at all of it. */
          complete: z.boolean(),
        }),
        async act({ query, principal }) {
          const cwd = await readableFolder(await folderOf(query, principal));
          const { files, complete } = await listFiles(cwd);
          return { cwd, data: bestMatches(files, query.search, query.limit), complete };
        },
      }),
    },
  };
}
