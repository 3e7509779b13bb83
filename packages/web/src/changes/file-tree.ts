/** A visible row of the file list: a folder with the number of its files, or a file. */
export type TreeRow<File> =
  | { kind: 'folder'; path: string; name: string; depth: number; count: number; isOpen: boolean }
  | { kind: 'file'; name: string; depth: number; file: File };

type Folder<File> = {
  kind: 'folder';
  name: string;
  path: string;
  count: number;
  children: (Folder<File> | Leaf<File>)[];
};
type Leaf<File> = { kind: 'file'; name: string; file: File };

/** Arranges files by folder, in their order. A folder that contains nothing but a folder is joined with it. */
export function treeRows<File extends { path: string }>(
  files: readonly File[],
  closed: ReadonlySet<string> = new Set(),
): TreeRow<File>[] {
  const root = emptyFolder<File>('', '');
  const folders = new Map<string, Folder<File>>();
  for (const file of files) {
    const names = file.path.split('/');
    const name = names.pop() ?? '';
    let folder = root;
    for (const each of names) {
      const path = folder === root ? each : `${folder.path}/${each}`;
      const found = folders.get(path) ?? emptyFolder<File>(each, path);
      if (!folders.has(path)) folder.children.push(found);
      folders.set(path, found);
      found.count += 1;
      folder = found;
    }
    folder.children.push({ kind: 'file', name, file });
  }
  return rowsOf(root, 0, closed);
}

function emptyFolder<File>(name: string, path: string): Folder<File> {
  return { kind: 'folder', name, path, count: 0, children: [] };
}

function rowsOf<File>(
  { children }: Folder<File>,
  depth: number,
  closed: ReadonlySet<string>,
): TreeRow<File>[] {
  return children.flatMap((child): TreeRow<File>[] => {
    if (child.kind === 'file') return [{ ...child, depth }];
    const folder = joined(child);
    const { name, path, count } = folder;
    const isOpen = !closed.has(path);
    const row = { kind: 'folder', name, path, count, depth, isOpen } as const;
    return isOpen ? [row, ...rowsOf(folder, depth + 1, closed)] : [row];
  });
}

function joined<File>(folder: Folder<File>): Folder<File> {
  const [only, ...others] = folder.children;
  if (only?.kind !== 'folder' || others.length > 0) return folder;
  return joined({ ...only, name: `${folder.name}/${only.name}` });
}
