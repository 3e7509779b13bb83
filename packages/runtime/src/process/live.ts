import type { AgentIdentity } from './kin.ts';
import { sweepNow } from './sweep.ts';

const live = new Set<AgentIdentity>();
let hooked = false;

/** Remembers an agent that must not outlive this program. */
export function track(agent: AgentIdentity): void {
  live.add(agent);
  if (hooked) return;
  hooked = true;
  process.once('exit', killEverythingNow);
}

/** Forgets an agent of which nothing is left. */
export function untrack(agent: AgentIdentity): void {
  live.delete(agent);
}

/** Kills every live agent with all that it started, at once and synchronously. */
export function killEverythingNow(): void {
  sweepNow(live);
}
