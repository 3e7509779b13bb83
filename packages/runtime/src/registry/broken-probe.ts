import type { BatonError, Probe } from '@baton/protocol/values';
import type { BackendEntry } from '../definition/backend-entry.ts';

/** The error of a backend that cannot be loaded, in the form of a probe. */
export function probeOfBroken({ id, install }: BackendEntry, problem: BatonError): Probe {
  return {
    backend: id,
    installed: false,
    credentials: 'unknown',
    problems: [problem.toJSON()],
    install,
  };
}
