import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import type { BatonError, Probe } from '@baton/protocol/values';

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
