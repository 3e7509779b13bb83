import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import type { PrivateRepository } from './private-repository.ts';

/** A checkpoint as its commit says. */
type CheckpointCommit = { id: string; number: number; tree: string; message: string };

const DIGITS = 8;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const COMMIT = /^commit \d+\0tree (\S+)\n(?:parent \S+\n)*author .*\ncommitter .*\n\n([\s\S]*)$/;

/** The name of the ref of a checkpoint. */
export function refOf({ id }: PrivateRepository, number: number): string {
  return `refs/checkpoints/${id}/${String(number).padStart(DIGITS, '0')}`;
}

/**
 * Reads the newest checkpoint of a folder from the files of the repository, which takes a fraction of a start of git;
 * `unknown` if they do not say, because it is packed or damaged.
 */
export function newestCommit(
  repository: PrivateRepository,
): CheckpointCommit | undefined | 'unknown' {
  if (!hasRefFiles(repository)) return 'unknown';
  const folder = join(repository.common, 'refs/checkpoints', repository.id);
  const name = namesIn(folder).sort().at(-1);
  if (name === undefined) return undefined;
  try {
    const id = readFileSync(join(folder, name), 'utf8').trimEnd();
    if (!OBJECT_ID.test(id)) return 'unknown';
    const text = inflateSync(readFileSync(objectFile(repository, id))).toString('utf8');
    const [, tree, message] = COMMIT.exec(text) ?? [];
    if (tree === undefined || message === undefined) return 'unknown';
    return { id, number: Number(name), tree, message };
  } catch {
    return 'unknown';
  }
}

type NewCommit = {
  number: number;
  /** A tree that the repository has. */
  tree: string;
  parent: string | undefined;
  message: string;
};

/**
 * Writes the commit and the ref of a checkpoint as files, and returns its id; `taken` if another process made a
 * checkpoint of this number, `unknown` if only git can write it.
 */
export function writeCheckpoint(
  repository: PrivateRepository,
  { number, tree, parent, message }: NewCommit,
): string | 'taken' | 'unknown' {
  if (!hasRefFiles(repository)) return 'unknown';
  const who = `Baton <baton@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  const content = `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\n${message}`;
  const object = `commit ${Buffer.byteLength(content)}\0${content}`;
  const id = createHash(tree.length === 64 ? 'sha256' : 'sha1')
    .update(object)
    .digest('hex');
  const ref = join(repository.common, refOf(repository, number));
  try {
    createFile(repository, objectFile(repository, id), deflateSync(object));
    return createFile(repository, ref, `${id}\n`) ? id : 'taken';
  } catch {
    // Such as a file system without links.
    return 'unknown';
  }
}

/** True if an object has a file of its own in the repository. */
export function isLoose(repository: PrivateRepository, id: string): boolean {
  return existsSync(objectFile(repository, id));
}

/** True unless git keeps refs in another form. */
function hasRefFiles({ common }: PrivateRepository): boolean {
  return !['packed-refs', 'reftable'].some((name) => existsSync(join(common, name)));
}

function objectFile({ common }: PrivateRepository, id: string): string {
  return join(common, 'objects', id.slice(0, 2), id.slice(2));
}

/** Creates a file with all of its content at once; false if it is there. */
function createFile(
  { common }: PrivateRepository,
  file: string,
  content: string | Uint8Array,
): boolean {
  // Git removes files of this name that a killed process left.
  const draft = join(common, 'objects', `tmp_obj_${randomUUID()}`);
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
