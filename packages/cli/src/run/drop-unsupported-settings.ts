import { SETTINGS, type SettingName, type Settings } from '@baton/config/settings';
import type { Backend } from '@baton/engine/definition/backend';
import { defaultPrices } from '@baton/engine/prices/estimate-cost';
import type { OptionName, RunOptions } from '@baton/protocol';

/** The settings that not every agent can keep, with the options they become. A prohibition is never left away. */
const OPTIONS = {
  model: 'model',
  systemPrompt: 'systemPrompt',
  maxTurns: 'maxTurns',
  budgetUsd: 'budgetUsd',
  allowedTools: 'tools.allowed',
} as const satisfies Partial<Record<SettingName, OptionName>>;
type FittedSetting = keyof typeof OPTIONS;

/**
 * Omits, with a warning, settings of files and variables that this agent does not support. An unsupported flag is an
 * error, because it is meant for this run. The default permission mode is not an explicit choice: with an explicit
 * transport, the transport decides whether it has modes.
 */
export function dropUnsupportedSettings(
  options: RunOptions,
  settings: Settings,
  backend: Pick<Backend, 'label' | 'capabilities'>,
  warn: (warning: string) => void,
): RunOptions {
  const isDefault = options.permissionMode && settings.origin('permissionMode') === 'default';
  let fitting: RunOptions =
    options.transport && isDefault ? { ...options, permissionMode: undefined } : options;
  for (const name of Object.keys(OPTIONS) as FittedSetting[]) {
    if (!isGiven(options, name) || settings.origin(name) === SETTINGS[name].flag) continue;
    const reason = whyNot(name, options, backend.capabilities);
    if (reason === undefined) continue;
    warn(
      `${name} (${settings.origin(name)}) is ignored: not supported by ${backend.label}${reason.includes('does not support it') ? '.' : `: ${reason}`}`,
    );
    fitting = without(fitting, name);
  }
  return fitting;
}

function isGiven({ tools, ...options }: RunOptions, name: FittedSetting): boolean {
  if (name === 'allowedTools') return (tools?.allowed?.length ?? 0) > 0;
  return options[name] !== undefined;
}

function whyNot(
  name: FittedSetting,
  { model, providerOptions }: RunOptions,
  { options, features }: Backend['capabilities'],
): string | undefined {
  const { support, how } = options[OPTIONS[name]];
  if (support === 'unsupported') return how;
  const isPriced =
    features.cost || providerOptions?.prices !== undefined || defaultPrices(model) !== undefined;
  if (name !== 'budgetUsd' || isPriced) return undefined;
  return 'it reports tokens but not cost. Name a model with a known price, or set prices with --option prices=…';
}

function without(options: RunOptions, name: FittedSetting): RunOptions {
  if (name === 'allowedTools')
    return { ...options, tools: { ...options.tools, allowed: undefined } };
  return { ...options, [name]: undefined };
}
