import { dirname, join } from 'node:path';
import { executableProblem } from '@baton/process/executable-problem';

const LAUNCHER = join('@openai', 'codex', 'bin', 'codex.js');
const TRIPLES: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/**
 * Finds the native binary that the `codex` launcher of npm would start.
 *
 * Under an older Node the launcher starts it as a child, and killing the launcher leaves it running.
 */
export function nativeBinary(launcher: string): string | undefined {
  const target = `${process.platform}-${process.arch}`;
  const triple = TRIPLES[target];
  if (!triple || !launcher.endsWith(LAUNCHER)) return undefined;
  const binary = join('vendor', triple, 'bin', 'codex');
  const packageFolder = dirname(dirname(launcher));
  return [
    ...ancestors(packageFolder).map((folder) =>
      join(folder, 'node_modules', '@openai', `codex-${target}`, binary),
    ),
    join(packageFolder, binary),
  ].find((path) => executableProblem(path) === undefined);
}

/** The folders in which Node looks for packages, from the nearest on. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
