import { filesWire } from '@baton/protocol/wire';
import type { z } from 'zod';
import { existingSession } from '../../access/existing.ts';
import type { Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { bestMatches } from './best-matches.ts';
import { listFiles } from './list-files.ts';
import { readableFolder } from './readable-folder.ts';

/** File names that a prompt can mention. */
export function files({ store }: DaemonContext): ServiceOf<'files'> {
  const folderOf = async (query: z.output<typeof filesWire.find.query>, principal: Principal) => {
    const { session_id, cwd = '' } = query;
    return session_id === undefined
      ? cwd
      : (await existingSession(store, session_id, principal)).cwd;
  };
  return {
    path: 'files',
    about: 'File names that a prompt can mention.',
    methods: {
      find: method(filesWire.find, {
        about:
          'Finds files in a session folder or any folder by a fuzzy match of their path, best match first. Files ignored by Git are excluded.',
        allow: ['member'],
        async act({ query, principal }) {
          const cwd = await readableFolder(await folderOf(query, principal));
          const { files, complete } = await listFiles(cwd);
          return { cwd, data: bestMatches(files, query.search, query.limit), complete };
        },
      }),
    },
  };
}
