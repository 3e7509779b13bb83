import { spawn } from 'node:child_process';
import { ROOT } from './install.mjs';

/** Runs a command and returns its exit code. SIGTERM is passed on to the command; this process exits after it. */
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
