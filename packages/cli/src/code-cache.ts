import {
  mkdirSync,
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
const FOOTER_BYTES = 1024;

export type CodeCacheOptions = {
  /** Where the files of the program are. */
  program: string;
  /** Where their code is kept between two starts. */
  cache: string;
  /** Loads what is not a file of the program. */
  require: NodeJS.Require;
};

type LoadedFile = {
  module: { exports: unknown };
  cache: string;
  key: string;
  script: Script;
  /** The parts of the program that were used when its code was kept. */
  parts: ReadonlySet<string>;
};

type Cached = { code: Buffer; parts: string[] };

/**
 * Loads CommonJS files with the code that V8 made of them in an earlier run. Node's own compile cache keeps only what
 * is compiled before the first run of a file, so that most functions are compiled anew at every start.
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
    const file = readFile(path, `${cache}${name.slice(1)}.code`);
    this.#files.set(name, file);
    const { module, script } = file;
    const require = (other: string) => this.require(other);
    script.runInThisContext()(module.exports, require, module, path, program);
    return module.exports;
  }

  /** Keeps the code of the loaded files that have none yet of one of these parts of the program. */
  save(parts: ReadonlySet<string>): void {
    const files = [...this.#files.values()].filter((file) =>
      [...parts].some((part) => !file.parts.has(part)),
    );
    if (files.length === 0) return;
    // The next start is slower without it, and that is all.
    try {
      for (const file of files) keepCode(file, [...new Set([...file.parts, ...parts])]);
      removeOldest(dirname(this.#options.cache));
    } catch {}
  }
}

function readFile(path: string, cache: string): LoadedFile {
  const key = keyOf(path);
  const cached = readCache(cache, key);
  const script = new Script(readFileSync(path, 'latin1'), {
    filename: path,
    cachedData: cached?.code,
  });
  const parts = new Set(script.cachedDataRejected ? [] : cached?.parts);
  return { module: { exports: {} }, cache, key, script, parts };
}

/** Another build of a file has another key, even where it has the same version. */
function keyOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${path} ${size} ${mtimeMs}`;
}

/**
 * The code is there twice and both must be equal: V8 believes what it gets, and crashes when it is damaged. To compare
 * takes a tenth of the time that it would take to load a checksum.
 */
function readCache(path: string, key: string): Cached | undefined {
  try {
    if (statSync(path).uid !== process.getuid?.()) return undefined;
    const content = readFileSync(path);
    const bytes = (content.length - FOOTER_BYTES) / 2;
    const code = content.subarray(0, bytes);
    if (!code.equals(content.subarray(bytes, 2 * bytes))) return undefined;
    const footer = JSON.parse(content.toString('utf8', 2 * bytes));
    return footer.key === key ? { code, parts: footer.parts } : undefined;
  } catch {
    return undefined;
  }
}

function keepCode({ cache, key, script }: LoadedFile, parts: readonly string[]): void {
  const footer = Buffer.alloc(FOOTER_BYTES, ' ');
  const text = JSON.stringify({ key, parts });
  if (footer.write(text) < Buffer.byteLength(text)) return;
  const code = script.createCachedData();
  mkdirSync(dirname(cache), { recursive: true, mode: 0o700 });
  const draft = `${cache}.${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([code, code, footer]), { mode: 0o600 });
    renameSync(draft, cache);
  } finally {
    rmSync(draft, { force: true });
  }
}

function removeOldest(folder: string): void {
  const newestFirst = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of newestFirst.slice(1 + MAX_OTHERS)) {
    rmSync(path, { recursive: true, force: true });
  }
}
