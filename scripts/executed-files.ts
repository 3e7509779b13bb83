import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Counts the files of the packages that a command loads, and those of which it executes a function, with the coverage
 * of V8: `node scripts/executed-files.ts run --backend demo hi`. Prints the files with `--list` in front.
 */
const ROOT = join(import.meta.dirname, '..');
const [first, ...others] = process.argv.slice(2);
const isList = first === '--list';
const args = isList ? others : [first ?? '--help', ...others];

type Coverage = {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
};

const folder = mkdtempSync(join(tmpdir(), 'executed-files-'));
try {
  const { status } = spawnSync(
    process.execPath,
    [join(ROOT, 'packages/cli/src/main.ts'), ...args],
    {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const loaded = new Map<string, boolean>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!path.startsWith(join(ROOT, 'packages/'))) continue;
      // The first function is the module itself.
      const isExecuted = functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      loaded.set(path.slice(ROOT.length + 1), loaded.get(path) === true || isExecuted);
    }
  }
  const executed = [...loaded].flatMap(([path, isExecuted]) => (isExecuted ? [path] : []));
  if (isList) console.log(executed.sort().join('\n'));
  console.log(`exit ${status}: ${loaded.size} files loaded, ${executed.length} executed`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
