import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';

/** The arguments for Node that start a program of Baton by its name. */
type FindProgram = (name: string) => string[];

let findEmbedded: FindProgram | undefined;

/** For a program that contains the programs of Baton, such as a compiled agent: says how it starts them. */
export function embedChildPrograms(find: FindProgram): void {
  findEmbedded = find;
}

/**
 * The arguments for Node that start a program of Baton in a process of its own. Its file is next to the module that
 * starts it, under the same name in the sources and in the built packages; a bundler does not include it.
 */
export function childProgram(
  /** Those of `import.meta` in the module; both are missing in what a bundler makes for CommonJS. */
  { dirname, filename }: { dirname: string | undefined; filename: string | undefined },
  name: string,
  label: string,
): string[] {
  if (findEmbedded) return findEmbedded(name);
  const program = dirname && join(dirname, `${name}${filename?.endsWith('.ts') ? '.ts' : '.js'}`);
  if (program && existsSync(program)) return [program];
  throw new BatonError('backend_not_found', `${label} is not part of this bundle.`, {
    hint: 'Mark "@baton/runtime" as external in the bundler, or use another agent.',
  });
}
