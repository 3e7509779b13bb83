import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** Refuses an agent that the daemon does not have, before there is a session and a task for it. */
export async function checkInstalled(
  client: BatonClient,
  backend: string,
  cwd: string,
): Promise<void> {
  if ((await client.backends.get(backend)).probe.installed) return;
  // What the daemon knows may be a minute old, and not true of this folder.
  const { label, probe } = await client.backends.get(backend, { cwd });
  if (probe.installed || !(await isAlone(client))) return;
  const why = probe.problems[0]?.message ?? `${label} was not found.`;
  throw new BatonError('backend_not_found', `The daemon cannot run ${label}: ${why}`, {
    hint: `Install it on the daemon's machine: ${probe.install.replace(/\.$/, '')}, or try the built-in agent: --backend demo.`,
  });
}

/** True if the daemon runs every task itself; otherwise another machine may have the agent. */
async function isAlone(client: BatonClient): Promise<boolean> {
  const { slots } = await client.status.find();
  const daemons = await client.daemons.find();
  return slots > 0 && daemons.filter(({ alive }) => alive).length === 1;
}
