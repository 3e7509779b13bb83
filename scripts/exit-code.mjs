import { spawn } from 'node:child_process';
import { ROOT } from './install.mjs';

/** Runs a command and gives its exit code; whoever ends this process ends the command, and this process after it. */
export function exitCode(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: ROOT, stdio: 'inherit', ...options });
    const end = () => child.kill('SIGTERM');
    process.once('SIGTERM', end);
    child.on('exit', (code) => {
      process.off('SIGTERM', end);
      resolve(code ?? 1);
    });
  });
}
