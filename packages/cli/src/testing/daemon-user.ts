import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { onTestFinished } from 'vitest';
import { repository } from './repository.ts';
import { login, serveIn } from './served.ts';

/** A repository, and a daemon of the same user, who is logged in. */
export async function daemonUser() {
  const made = repository();
  const { world } = made;
  const served = await serveIn(join(world.home, '.baton/daemon'), 0, [], { HOME: world.home });
  const { url } = served;
  const token = await login(served);
  const kept = JSON.stringify({ [url]: { token } });
  writeFileSync(join(world.home, '.baton/credentials.json'), kept, { mode: 0o600 });
  const client = new BatonClient({ url, token });
  onTestFinished(() => client.close());
  /** Runs the demo agent in a session, and returns its task. */
  const run = async (session_id: string, steps: readonly object[]) => {
    const prompt = `demo:script ${JSON.stringify(steps)}`;
    const options = { prompt, permission_mode: 'allow-all' } as const;
    const { task_id } = await client.sessions.executeTask(session_id, options);
    await (await client.join(task_id)).collect();
    return task_id;
  };
  /** The executors of the daemon may still run, so nothing is said about what is left. */
  const call = async (args: readonly string[], env: Record<string, string> = {}) => {
    const child = world.start({ args, env });
    child.stdin.end();
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, stdout, stderr };
  };
  return { ...made, client, run, call };
}
