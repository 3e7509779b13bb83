import { object } from '@baton/config/values/json';
import type { AgentIdentity } from './agent-processes.ts';
import { killTreesSync } from './kill-tree.ts';

/** The signals whose default action ends a program without its `exit` event. */
const DEADLY = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

const live = new Set<AgentIdentity>();
let hooked = false;

/**
 * Remembers an agent that must not outlive this program. Our listener comes first, to see those that listen only once.
 */
export function track(agent: AgentIdentity): void {
  if (live.size === 0) for (const signal of DEADLY) process.prependListener(signal, onSignal);
  live.add(agent);
  if (hooked) return;
  hooked = true;
  process.once('exit', killEverythingNow);
}

/** Forgets an agent of which nothing is left. */
export function untrack(agent: AgentIdentity): void {
  if (!live.delete(agent) || live.size > 0) return;
  for (const signal of DEADLY) process.off(signal, onSignal);
}

/** Kills every live agent with all that it started, at once and synchronously. */
export function killEverythingNow(): void {
  killTreesSync(live);
}

/**
 * Takes the agents along when a signal ends this program. A program that handles the signal itself decides what becomes
 * of it, and of the agents: those that are left when it exits are killed then.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (isHandledByOthers(signal)) return;
  killEverythingNow();
  for (const each of DEADLY) process.off(each, onSignal);
  // Without a listener, it does what it would have done without Baton.
  process.kill(process.pid, signal);
}

function isHandledByOthers(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => listener !== onSignal);
  return others.length > signalExitListeners();
}

/**
 * The package signal-exit, which many tools include, listens in the same way: it only cleans up, and ends the program
 * once no one else listens. Waiting for each other, both would ignore the signal.
 */
function signalExitListeners(): number {
  const emitters: unknown[] = [
    Reflect.get(process, '__signal_exit_emitter__'),
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
  ];
  return emitters.reduce<number>((sum, each) => sum + number(object(each).count), 0);
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
