import type { OptionName, RunOptions } from '@baton/protocol';
import { type Backend, SETTINGS, type SettingName, type Settings } from '@baton/runtime';

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
 * Leaves away, with a warning, what a file or a variable says for all agents and this one cannot keep. A flag is meant
 * for this very run, so there it stays an error.
 */
export function fitSettings(
  options: RunOptions,
  settings: Settings,
  backend: Pick<Backend, 'label' | 'capabilities'>,
  warn: (warning: string) => void,
): RunOptions {
  let fitting = options;
  for (const name of Object.keys(OPTIONS) as FittedSetting[]) {
    if (!isGiven(options, name) || settings.origin(name) === SETTINGS[name].flag) continue;
    const reason = whyNot(name, options, backend.capabilities);
    if (reason === undefined) continue;
    warn(
      `${name} (${settings.origin(name)}) is left away, because ${backend.label} cannot keep it: ${reason}`,
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
  { providerOptions }: RunOptions,
  { options, features }: Backend['capabilities'],
): string | undefined {
  const { support, how } = options[OPTIONS[name]];
  if (support === 'unsupported') return how;
  const isPriced = features.cost || providerOptions?.prices !== undefined;
  if (name !== 'budgetUsd' || isPriced) return undefined;
  return 'it reports tokens, not money. With --option prices=… it can.';
}

function without(options: RunOptions, name: FittedSetting): RunOptions {
  if (name === 'allowedTools')
    return { ...options, tools: { ...options.tools, allowed: undefined } };
  return { ...options, [name]: undefined };
}
