import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { track } from './leave-nothing.ts';
import { NODE } from './paths.ts';

export type NodeCall = {
  args: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string>>;
};

/** Runs Node with some arguments to its end, and gives what it printed. */
export async function runNode({ args, cwd, env }: NodeCall): Promise<string> {
  const child = track(
    spawn(NODE, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    }),
    // It may be Baton, who then ends its agent.
    'SIGTERM',
  );
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return printed;
}
