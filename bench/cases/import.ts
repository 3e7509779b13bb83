import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { timeRatios } from '../measure/ratio.ts';
import { runNode } from '../world/command.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { ROOT } from '../world/paths.ts';

const PACKAGES = ['protocol', 'runtime'];

/** Cost of importing the library, before it runs anything. */
export const importing: Benchmark[] = [
  {
    name: 'import',
    claim: "`import '@baton/runtime'` takes at most 2.5 times as long as `node -e 0`",
    run(context) {
      const cwd = installed();
      const script = "import '@baton/runtime'";
      const sides = {
        node: () => runNode({ args: ['-e', '0'], cwd }),
        baton: () => runNode({ args: ['--input-type=module', '-e', script], cwd }),
      };
      const figures = timeRatios<keyof typeof sides>('baton', 'node', {
        limit: 2.5,
        bound: 'at most',
      });
      return compare({ sides, figures }, context);
    },
  },
];

/** A folder with the built packages, copied as npm would: links would lead back to their sources. */
function installed(): string {
  const folder = scratchFolder();
  for (const name of PACKAGES) {
    const built = join(ROOT, 'packages', name, 'dist');
    cpSync(built, join(folder, 'node_modules/@baton', name), { recursive: true });
  }
  return folder;
}
