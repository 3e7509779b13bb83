import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Shows a text in the user's pager if it does not fit the terminal; prints it otherwise. */
export async function showInPager(text: string): Promise<void> {
  const rows = process.stdout.rows || 24;
  const isShort = text.split('\n').length <= rows;
  const program = process.env.BATON_PAGER ?? process.env.PAGER ?? 'less';
  if (!process.stdout.isTTY || isShort || program === '' || program === 'cat') {
    process.stdout.write(text);
    return;
  }
  // The user's own variable, which may have arguments, as every program reads it.
  const pager = spawn('/bin/sh', ['-c', program], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...process.env },
  });
  const failed = once(pager, 'exit').then(([code]) => code === 127);
  // The user may leave before everything is read.
  pager.stdin.on('error', () => {});
  pager.stdin.end(text);
  if (await failed) process.stdout.write(text);
}
