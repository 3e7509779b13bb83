import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCli } from '../../scripts/build/bundle-cli.ts';

const PACKAGES = join(import.meta.dirname, '../../packages');

/** The command as it is published, which starts much faster than its source. */
export type BuiltCommand = { main: string; remove(): void };

/** Builds the command into a folder of its own. */
export async function buildCommand(): Promise<BuiltCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-built-'));
  await bundleCli(join(PACKAGES, 'cli'), join(PACKAGES, 'runtime'), folder);
  return {
    main: join(folder, 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
