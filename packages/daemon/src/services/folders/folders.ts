import type { Dirent } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { BatonError } from '@baton/protocol';
import { type FolderRecord, foldersWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { readableFolder } from '../files/readable-folder.ts';

const MOST = 1000;

/** Folders on the daemon's machine, for folder pickers. */
export function folders(_context: DaemonContext): ServiceOf<'folders'> {
  return {
    path: 'folders',
    about: "Folders on the daemon's machine, for folder pickers.",
    methods: {
      find: method(foldersWire.find, {
        about:
          "Lists the subfolders of a folder, hidden ones last. The path defaults to `~`, the home folder of the daemon's user.",
        allow: ['member'],
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
      create: method(foldersWire.create, {
        about: 'Creates a folder if it does not exist. Its parent must exist.',
        allow: ['member'],
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
  return new BatonError('forbidden', `The daemon has no permission to create ${path}.`, {
    hint: 'Choose another location, or grant its user write permission.',
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

async function described(parent: string, name: string): Promise<FolderRecord['data'][number]> {
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
