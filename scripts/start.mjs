import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';

const node = ensureInstalled();
const scratch = mkdtempSync(join(tmpdir(), 'baton-start-'));
const watched = process.stdin.isTTY && process.stdout.isTTY;
const { status } = spawnSync(
  node,
  [
    join(ROOT, 'packages/cli/src/main.ts'),
    'run',
    '--backend=demo',
    `--permission-mode=${watched ? 'ask' : 'allow-all'}`,
    `--cwd=${scratch}`,
    'Show me what an agent does.',
  ],
  { stdio: 'inherit' },
);
console.log(
  `\nThe demo agent worked in ${scratch}. Run real agents with: npx baton run "your prompt"`,
);
process.exit(status ?? 1);
