import type { BackendRecord } from '@baton/client';
import type { Tone } from '../design/badge.tsx';

/** Whether tasks can be given to an agent, and what it lacks if not. */
export type Readiness = 'ready' | 'needs-key' | 'needs-install' | 'broken';

/** How the states of agents are called and shown. */
export const READINESS: Readonly<Record<Readiness, { label: string; tone: Tone }>> = {
  ready: { label: 'Ready', tone: 'good' },
  'needs-key': { label: 'Needs an API key or login', tone: 'warn' },
  'needs-install': { label: 'Not installed', tone: 'neutral' },
  broken: { label: 'Error', tone: 'bad' },
};

/** What the daemon found out about an agent, in one word. */
export function readinessOf({ probe }: Pick<BackendRecord, 'probe'>): Readiness {
  if (!probe.installed) return 'needs-install';
  if (probe.credentials === 'missing') return 'needs-key';
  return probe.problems.length > 0 ? 'broken' : 'ready';
}

/** The default agent of a new task: a real one that is ready, else the demo. */
export function firstChoice(backends: readonly BackendRecord[]): string {
  const ready = backends.filter((backend) => readinessOf(backend) === 'ready');
  const real = ready.find(({ id }) => id !== DEMO);
  return (real ?? ready[0] ?? backends[0])?.id ?? DEMO;
}

/** The agent that is always there. */
export const DEMO = 'demo';
