// Starts the product as a user does, waits until it answers, and stops it again. For npm run test:places.
import { spawn } from 'node:child_process';

const child = spawn('npm', ['start', '--', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let said = '';
let isAnswered = false;
child.stdout.setEncoding('utf8').on('data', async (text) => {
  process.stdout.write(text);
  said += text;
  const [url] = /http:\/\/[\d.:]+/.exec(said) ?? [];
  if (!url || isAnswered) return;
  isAnswered = true;
  const { ok } = await fetch(`${url}/readyz`);
  isAnswered = ok;
  child.kill('SIGTERM');
});
child.on('close', () => {
  console.log(isAnswered ? '1 passed, 0 failed, 0 skipped' : '0 passed, 1 failed, 0 skipped');
  process.exitCode = isAnswered ? 0 : 1;
});
