import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** Caches of other versions that are kept beside a new one. */
const MAX_OTHERS = 3;
const CACHE_NAME = /^baton-.+-node-/;
const DRAFT_NAME = /\.draft-\d+$/;
const DRAFT_LIFE_MS = 60_000;
const FOOTER_BYTES = 1024;

export type CodeCacheOptions = {
  /** Where the files of the program are. */
  program: string;
  /** Where their code is kept between two starts, a folder for these very files; without it, nowhere. */
  cache: string | undefined;
  /** Loads what is not a file of the program. */
  require: NodeJS.Require;
};

type LoadedFile = {
  module: { exports: unknown };
  script: Script;
  /** The parts of the program that were used when its code was kept. */
  parts: ReadonlySet<string>;
};

type Cached = { code: Buffer; parts: string[] };

/**
 * Loads the files of a program with the code that V8 made of them in an earlier run. Node's own compile cache keeps
 * only what is compiled before the first run of a file, so most functions are compiled again at every start: `baton run`
 * takes 8 ms longer and 12 ms more CPU time with it. Each file is one function, with the arguments of a CommonJS module,
 * in ASCII.
 */
export class CodeCache {
  readonly #options: CodeCacheOptions;
  readonly #files = new Map<string, LoadedFile>();

  constructor(options: CodeCacheOptions) {
    this.#options = options;
  }

  /** Loads a file of the program, as `./name.js`, or anything else the usual way. */
  require(name: string): unknown {
    if (!name.startsWith('./')) return this.#options.require(name);
    const known = this.#files.get(name);
    if (known) return known.module.exports;
    const { program, cache } = this.#options;
    const path = `${program}${name.slice(1)}`;
    const file = readProgram(path, cache && readCache(codePath(cache, name)));
    this.#files.set(name, file);
    const { module, script } = file;
    const require = (other: string) => this.require(other);
    script.runInThisContext()(module.exports, require, module, path, program);
    return module.exports;
  }

  /** Keeps the code of the loaded files that have none yet of one of these parts of the program. */
  save(parts: ReadonlySet<string>): void {
    const { cache } = this.#options;
    const due = [...this.#files].filter(([, file]) =>
      [...parts].some((part) => !file.parts.has(part)),
    );
    if (cache === undefined || due.length === 0) return;
    // The next start is slower without it, and that is all.
    try {
      if (!isOurs(cache)) return;
      mkdirSync(cache, { recursive: true, mode: 0o700 });
      for (const [name, file] of due) {
        keepCode(codePath(cache, name), file.script, [...new Set([...file.parts, ...parts])]);
      }
      tidy(cache);
    } catch {}
  }
}

/** Where the code of `./name.js` is. */
function codePath(cache: string, name: string): string {
  return `${cache}${name.slice(1)}.code`;
}

function readProgram(path: string, cached: Cached | undefined | ''): LoadedFile {
  const { code, parts } = cached || {};
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData: code });
  return {
    module: { exports: {} },
    script,
    parts: new Set(script.cachedDataRejected ? [] : parts),
  };
}

/**
 * The code is there twice and both must be equal: V8 believes what it gets, and crashes when it is damaged. To compare
 * takes a tenth of the time that it would take to load a checksum.
 */
function readCache(path: string): Cached | undefined {
  const content = readOwnFile(path);
  if (!content) return undefined;
  const bytes = (content.length - FOOTER_BYTES) / 2;
  const code = content.subarray(0, bytes);
  if (!code.equals(content.subarray(bytes, 2 * bytes))) return undefined;
  try {
    const { parts } = JSON.parse(content.toString('utf8', 2 * bytes));
    return Array.isArray(parts) ? { code, parts } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file that belongs to the user who runs this program. */
function readOwnFile(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    // Checked before it is opened: opening a pipe would block until it has a writer.
    if (!statSync(path).isFile()) return undefined;
    file = openSync(path, 'r');
    return fstatSync(file).uid === process.getuid?.() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** With `sudo`, HOME can be another user's: no folders are made there. */
function isOurs(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat) return stat.uid === process.getuid?.();
    if (path === dirname(path)) return false;
  }
}

function keepCode(path: string, script: Script, parts: readonly string[]): void {
  const footer = Buffer.alloc(FOOTER_BYTES, ' ');
  const text = JSON.stringify({ parts });
  if (footer.write(text) < Buffer.byteLength(text)) return;
  const code = script.createCachedData();
  const draft = `${path}.draft-${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([code, code, footer]), { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the caches of old versions, and what a process left behind that died while it wrote. */
function tidy(cache: string): void {
  const others = withTimes(dirname(cache), CACHE_NAME).sort((a, b) => b.time - a.time);
  for (const { path } of others.slice(1 + MAX_OTHERS)) rmSync(path, { recursive: true });
  for (const { path, time } of withTimes(cache, DRAFT_NAME)) {
    if (Date.now() - time > DRAFT_LIFE_MS) rmSync(path);
  }
}

function withTimes(folder: string, pattern: RegExp): { path: string; time: number }[] {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path).mtimeMs }));
}
