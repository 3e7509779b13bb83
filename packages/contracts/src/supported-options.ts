import type { Backend } from '@baton/engine/definition/backend';
import { unsupportedOptions } from '@baton/engine/options/check-options';
import type { OptionName, RunOptions } from '@baton/protocol/values';

/**
 * Returns the options that an agent supports, and reports the others: a gateway has one configuration for all agents. The
 * permission mode stays: a run in a mode that the agent lacks must be rejected.
 */
export function supportedOptions<Options extends RunOptions>(
  { capabilities }: Pick<Backend, 'capabilities'>,
  options: Options,
  onIgnored: (name: OptionName) => void,
): RunOptions {
  const ignored = unsupportedOptions(capabilities, options).filter(
    (name) => name !== 'permissionMode',
  );
  for (const name of ignored) onIgnored(name);
  const isIgnored = (key: string) => ignored.some((name) => name.split('.')[0] === key);
  return Object.fromEntries(Object.entries(options).filter(([key]) => !isIgnored(key)));
}
