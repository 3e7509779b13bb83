import { mkdir, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { SentFile } from '../../channel-adapter.ts';

const MAX_NAME_BYTES = 200;
const MAX_COPIES = 1000;

/** Writes a file of the agent into a folder, under a name that is not taken there, and returns its path. */
export async function saveFile(folder: string, { name, content }: SentFile): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { name: stem, ext } = parse(nameInFolder(name));
  for (let copy = 0; ; copy++) {
    const path = join(folder, copy === 0 ? `${stem}${ext}` : `${stem}-${copy}${ext}`);
    try {
      // Never overwrites a file, and never follows a link.
      await writeFile(path, content, { flag: 'wx' });
      return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' || copy === MAX_COPIES) throw error;
    }
  }
}

/** The last part of a name, without characters that a path or a terminal gives a meaning to, and never hidden. */
export function nameInFolder(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').replace(/^[.\s]+/, '');
  const { name: stem, ext } = parse(plain);
  const room = MAX_NAME_BYTES - Buffer.byteLength(ext);
  if (room <= 0) return cutToBytes(plain, MAX_NAME_BYTES);
  return `${cutToBytes(stem, room)}${ext}` || 'file';
}

function cutToBytes(text: string, bytes: number): string {
  let cut = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) return cut;
    cut += character;
  }
  return cut;
}
