import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the page, with the forms in which it can be sent. */
export type PageFile = {
  type: string;
  /** True if its name contains a hash of its content, so that browsers may cache it forever. */
  isForever: boolean;
  body: Buffer;
  compressed: Readonly<Partial<Record<Encoding, Buffer>>>;
};

export type Encoding = 'br' | 'gzip';

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** Reads the built page into memory, by the names under which browsers ask for its files. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const names = globSync('**/*', { cwd: folder });
  const there = new Set(names);
  const files = names.flatMap((name): [string, PageFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const compressed = (['br', 'gzip'] as const)
      .filter((encoding) => there.has(name + SUFFIXES[encoding]))
      .map((encoding) => [encoding, readFileSync(join(folder, name + SUFFIXES[encoding]))]);
    return [
      [
        name,
        {
          type,
          isForever: name.startsWith('assets/'),
          body: readFileSync(join(folder, name)),
          compressed: Object.fromEntries(compressed),
        },
      ],
    ];
  });
  return new Map(files);
}
