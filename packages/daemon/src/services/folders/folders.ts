import type { Dirent } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { homeFolder } from '@baton/runtime';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { readableFolder } from '../files/readable-folder.ts';

const MOST = 1000;

const folderSchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  /** Whether it is the top of a Git repository. */
  is_repository: z.boolean(),
});
type Folder = z.output<typeof folderSchema>;

/** The folders of the daemon's machine, for whoever chooses one. */
export function folders(_context: DaemonContext): ServiceDefinition {
  return {
    path: 'folders',
    about: "The folders of the daemon's machine, for whoever chooses one.",
    methods: {
      find: method({
        about:
          "Lists the folders in a folder, hidden ones last; without a path those in the home folder of the daemon's user, which `~` stands for too.",
        allow: ['member'],
        query: z.strictObject({ path: z.string().max(4096).default('') }),
        result: z.strictObject({
          path: z.string(),
          /** Nothing above the root. */
          parent: z.string().nullable(),
          is_repository: z.boolean(),
          data: z.array(folderSchema),
          /** False when there are more than are listed. */
          complete: z.boolean(),
        }),
        async act({ query }) {
          const path = await readableFolder(inFull(query.path));
          const parent = dirname(path);
          const names = await namesIn(path);
          return {
            path,
            parent: parent === path ? null : parent,
            is_repository: await isRepository(path),
            data: await Promise.all(names.slice(0, MOST).map((name) => described(path, name))),
            complete: names.length <= MOST,
          };
        },
      }),
      create: method({
        about: 'Makes a folder, unless it is there already; the one that it is in must be there.',
        allow: ['member'],
        data: z.strictObject({ path: z.string().min(1).max(4096) }),
        result: z.strictObject({ path: z.string() }),
        async act({ data }) {
          const path = inFull(data.path);
          await readableFolder(dirname(path));
          await mkdir(path).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'EEXIST') throw unmade(path, error);
          });
          return { path: await readableFolder(path) };
        },
      }),
    },
  };
}

function unmade(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EACCES' && error.code !== 'EPERM' && error.code !== 'EROFS') return error;
  return new BatonError('forbidden', `The daemon may not make the folder ${path}.`, {
    hint: 'Choose another place, or give its user the permission to write there.',
  });
}

function inFull(path: string): string {
  if (path === '') return homeFolder();
  return path.replace(/^~(?=\/|$)/, () => homeFolder());
}

async function namesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const areFolders = await Promise.all(entries.map((entry) => isFolder(path, entry)));
  return entries
    .filter((_entry, index) => areFolders[index])
    .map(({ name }) => name)
    .sort((one, other) => Number(isHidden(one)) - Number(isHidden(other)) || compare(one, other));
}

/** Also one that a link leads to: people have their projects where they want. */
async function isFolder(path: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return stat(join(path, entry.name)).then(
    (target) => target.isDirectory(),
    () => false,
  );
}

const isHidden = (name: string) => name.startsWith('.');
const compare = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

async function described(parent: string, name: string): Promise<Folder> {
  const path = join(parent, name);
  return { name, path, is_repository: await isRepository(path) };
}

/** In a worktree it is a file. */
function isRepository(path: string): Promise<boolean> {
  return stat(join(path, '.git')).then(
    () => true,
    () => false,
  );
}
