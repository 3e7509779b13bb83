import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ROOT, run } from './install.mjs';

/** So often it is looked whether npm still runs. */
const WATCH_MS = 250;

const npm = npmAbove();
const node = ensureInstalled();
run(node, ['scripts/build/page.ts']);
// The channel tells the daemon when this program is gone, whatever it died of.
const daemon = spawn(
  node,
  [join(ROOT, 'packages/cli/src/main.ts'), 'serve', ...process.argv.slice(2)],
  {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  },
);
// A terminal tells both of Ctrl-C; this program has to live on until the daemon has stopped.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', () => daemon.kill('SIGTERM'));
const watch = setInterval(() => {
  if (!npm || isThere(npm)) return;
  clearInterval(watch);
  daemon.kill('SIGTERM');
}, WATCH_MS);
daemon.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
daemon.on('exit', (code, signal) => {
  if (signal !== null) {
    console.error(
      `The daemon was ended by ${signal}. Its tasks continue: "npm start" takes them over.`,
    );
  }
  process.exit(code ?? 1);
});

/**
 * npm runs this program through a shell. It passes SIGTERM on to the shell only, which dies of it, and after SIGKILL it
 * passes no signal on, so its exit is detected by their absence. Nothing when npm did not start this.
 */
function npmAbove() {
  if (process.env.npm_lifecycle_event !== 'start') return undefined;
  const shell = process.ppid;
  try {
    const parent = execFileSync('ps', ['-o', 'ppid=', '-p', `${shell}`], { encoding: 'utf8' });
    return { shell, pid: Number(parent) };
  } catch {
    // Without ps, only the end of the shell is noticed.
    return { shell, pid: shell };
  }
}

function isThere({ shell, pid }) {
  if (process.ppid !== shell) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
