import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ROOT, run } from './install.mjs';

const node = ensureInstalled();
run(node, ['scripts/build/page.ts']);
const daemon = spawn(node, [join(ROOT, 'packages/cli/src/main.ts'), 'serve'], { stdio: 'inherit' });
// A terminal tells both of Ctrl-C; this program has to live on until the daemon has stopped everything.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', () => daemon.kill('SIGTERM'));
daemon.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
daemon.on('exit', (code, signal) => {
  if (signal !== null) {
    console.error(
      `The daemon was ended by ${signal}. Its tasks run on: "npm start" takes them over.`,
    );
  }
  process.exit(code ?? 1);
});
