import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';

const node = ensureInstalled();
const scratch = mkdtempSync(join(tmpdir(), 'baton-start-'));
const watched = process.stdin.isTTY && process.stdout.isTTY;
// Ctrl-C is for the demo; this program has to live on until it has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
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
rmSync(scratch, { recursive: true, force: true });
console.log(
  '\nThe demo agent worked in a temporary folder, which is gone again. Run real agents with: npx baton run "your prompt"',
);
process.exit(status ?? 1);
