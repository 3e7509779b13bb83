import type { TaskRow } from '@baton/store';

/** The options of a task for the agent that retries it, without those that only the previous agent supports. */
export function optionsFor(backend: string, before: TaskRow): Record<string, unknown> {
  const options: Record<string, unknown> = JSON.parse(before.options);
  if (backend === before.backend) return options;
  const {
    providerOptions: _own,
    rawArgs: _args,
    settings: _file,
    transport: _way,
    ...rest
  } = options;
  return rest;
}
