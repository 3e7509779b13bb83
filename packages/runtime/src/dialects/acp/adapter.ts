import type { Adapter } from '../../definition/backend-entry.ts';
import type { AcpTraits } from './agent.ts';
import { acpFormat } from './dialect.ts';
import { acpDriver } from './driver.ts';

/** Creates the adapter for an agent of which Baton only knows that it speaks the protocol. */
export function acpAdapter({
  label,
  args,
  traits,
}: {
  label: string;
  args: readonly string[];
  traits?: AcpTraits | undefined;
}): Adapter {
  const agent = { label, ...traits };
  return {
    drivers: [
      acpDriver({
        agent,
        setsModel: true,
        launch: ({ options }) => ({ args: [...args, ...(options.rawArgs ?? [])], stdin: 'open' }),
      }),
    ],
    dialects: [acpFormat(agent)],
  };
}
