import type { Adapter } from '@baton/engine/definition/backend-entry';
import type { AcpTraits } from './agent.ts';
import { acpFormat } from './dialect.ts';
import { acpDriver } from './driver.ts';

/** Creates the adapter for an agent of which Baton only knows that it speaks the protocol. */
export function acpAdapter({
  label,
  args,
  alsoLoads,
  traits,
}: {
  label: string;
  args: readonly string[];
  alsoLoads?: readonly string[] | undefined;
  traits?: AcpTraits | undefined;
}): Adapter {
  const agent = { label, ...traits };
  return {
    drivers: [
      acpDriver({
        agent,
        setsModel: true,
        ...(alsoLoads ? { alsoLoads } : {}),
        launch: ({ options }) => ({ args: [...args, ...(options.rawArgs ?? [])], stdin: 'open' }),
      }),
    ],
    dialects: [acpFormat(agent)],
  };
}
