import { resolve } from 'node:path';
import { array, type Json, string } from '@baton/config/values/json';
import type { ProviderOption, ProviderOptions } from '@baton/engine/definition/backend';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { readJsonFile } from '@baton/engine/kit/json-file';
import { flag } from '@baton/engine/kit/prompt-argument';
import { BatonError } from '@baton/protocol/values';

/** The options that only Droid has. */
export const PROVIDER_OPTIONS: ProviderOptions = {
  autonomy_level: oneOf('off', 'low', 'medium', 'high'),
  reasoning_effort: oneOf('off', 'low', 'medium', 'high', 'xhigh', 'max'),
};

function oneOf(...values: string[]): ProviderOption {
  return {
    schema: { type: 'string', enum: values },
    fits: (value) => typeof value === 'string' && values.includes(value),
    what: `one of ${values.join(', ')}`,
  };
}

/** The tools that Droid may use if it cannot ask. */
const READERS = 'Read,LS,Grep,Glob';

/** A session from which a tool is taken loses these too, unless they are named. */
const ASKING_TOOLS = ['Edit', 'Create', 'ApplyPatch', 'AskUser'];

/** Commands that Droid runs unasked by default. */
const DEFAULT_ALLOWLIST: readonly string[] = [
  'ls',
  'pwd',
  'dir',
  'git status',
  'git diff',
  'git log',
  'git show',
  'git blame',
  'git ls-files',
];

/** One run of `droid exec`. */
type ExecInput = {
  format: 'stream-json' | 'debug' | 'json' | 'text';
  /** Without it the prompt goes to standard input. */
  prompt?: string | undefined;
  resume?: string | undefined;
  fork?: boolean | undefined;
  systemPromptFile?: string | undefined;
  settingsFile?: string | undefined;
};

type ArgOptions = Pick<ResolvedOptions, 'model' | 'permissionMode' | 'providerOptions' | 'rawArgs'>;

/** The command line of one `droid exec` run. */
export function execArgs(options: ArgOptions, input: ExecInput): string[] {
  const { resume, fork, prompt } = input;
  return [
    ...flag('--settings', input.settingsFile),
    ...['exec', '--output-format', input.format],
    ...flag(fork ? '--fork' : '--session-id', resume),
    ...flag('--model', options.model),
    ...flag('--reasoning-effort', string(options.providerOptions?.reasoning_effort)),
    ...access(options),
    ...flag('--append-system-prompt-file', input.systemPromptFile),
    ...(options.rawArgs ?? []),
    ...(prompt === undefined ? [] : [prompt]),
  ];
}

/** Droid itself would run every command that the model calls harmless; if it cannot ask, it only reads. */
function access({ permissionMode, providerOptions }: ArgOptions): string[] {
  if (permissionMode !== 'allow-all') return ['--only-tools', READERS];
  const level = string(providerOptions?.autonomy_level);
  if (level === 'off') return [];
  return level === undefined ? ['--skip-permissions-unsafe'] : ['--auto', level];
}

/** The settings that a run was given. */
export function givenSettings({ settings, cwd, env }: ResolvedOptions): Json {
  if (typeof settings === 'object') return settings;
  const file = settings ?? env.FACTORY_RUNTIME_SETTINGS_PATH?.trim();
  return file ? readJsonFile(resolve(cwd, file), 'settings file') : {};
}

/** The settings with which Droid asks before every command: what one of its lists forbids, no other allows. */
export function askingSettings(given: Json, allowed: readonly string[]): Json {
  const own = array(given.commandAllowlist);
  const denied = [...array(given.commandDenylist), ...DEFAULT_ALLOWLIST, ...allowed, ...own];
  return { ...given, commandDenylist: [...new Set(denied)] };
}

/** Flags that would give Droid more rights than the permission mode. */
const WIDENING =
  /^(?:--auto|--skip-permissions-unsafe|--add-tools|--enabled-tools|--only-tools|--mission|--settings)(?:=|$)/;

/** Refuses what Droid cannot do in this mode or through this transport. */
export function checkOptions(options: ResolvedOptions): void {
  const { permissionMode, rawArgs = [], transport, mode } = options;
  const level = string(options.providerOptions?.autonomy_level) ?? 'off';
  const widening = rawArgs.find((arg) => WIDENING.test(arg));
  const above = widening ?? (level === 'off' ? undefined : `autonomy_level "${level}"`);
  if (above && permissionMode !== 'allow-all') {
    throw new BatonError(
      'usage',
      `${above} would give Droid more rights than permission mode "${permissionMode}".`,
      { hint: 'Omit it, or use permission mode "allow-all".' },
    );
  }
  if ((transport === 'print' || mode === 'print') && permissionMode === 'auto') {
    throw new BatonError(
      'capability_missing',
      'Droid cannot keep permission mode "auto" through print: it would edit protected files unasked.',
      { hint: 'Use the live transport, or permission mode "ask".' },
    );
  }
}

/**
 * Returns the settings of a session. Sub-agents are disabled unless everything is allowed: nothing proves that they
 * ask.
 */
export function sessionSettings({
  model,
  permissionMode,
  providerOptions = {},
}: Pick<ResolvedOptions, 'model' | 'permissionMode' | 'providerOptions'>): Json {
  const reasoningEffort = string(providerOptions.reasoning_effort);
  const isFree = permissionMode === 'allow-all';
  return {
    interactionMode: 'auto',
    autonomyLevel: isFree ? (string(providerOptions.autonomy_level) ?? 'high') : 'off',
    ...(model === undefined ? {} : { modelId: model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(isFree ? {} : { disabledToolIds: ['Task'], additionalToolIds: ASKING_TOOLS }),
  };
}
