import type { BackendRecord } from '@baton/client';
import type { Tone } from '../../design/badge.tsx';

/** Readiness of an agent for tasks. */
type Readiness = 'ready' | 'needs-key' | 'needs-install' | 'broken';

/** Labels and tones of the readiness states. */
export const READINESS: Readonly<Record<Readiness, { label: string; tone: Tone }>> = {
  ready: { label: 'Ready', tone: 'good' },
  'needs-key': { label: 'Needs an API key or login', tone: 'warn' },
  'needs-install': { label: 'Not installed', tone: 'neutral' },
  broken: { label: 'Error', tone: 'bad' },
};

/** Derives the readiness of an agent from the daemon's probe. */
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

/** The demo agent, which is always available. */
export const DEMO = 'demo';
