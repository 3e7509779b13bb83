import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './leave-nothing.ts';

/** A shell script in the place of an agent, in a folder of its own. */
export function standIn(script: string): { binary: string; folder: string } {
  const folder = scratchFolder();
  const binary = join(folder, 'agent');
  writeFileSync(binary, `#!/bin/sh\n${script}\n`);
  chmodSync(binary, 0o755);
  return { binary, folder };
}
