import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** The numbers of this process; its observers cannot be stopped, so there is one set of them. */
export function processRegistry(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
