import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { hasContent, settingsIn } from '@baton/config/trust/folder-settings';
import { similarNames } from '@baton/config/values/similar-names';
import {
  BatonError,
  type Capabilities,
  OPTION_NAMES,
  type OptionName,
  PERMISSION_MODES,
  RUN_OPTION_KEYS,
  type RunOptions,
} from '@baton/protocol/values';
import { type Backend, PROMPT_OPTIONS } from '../definition/backend.ts';
import type { BackendEntry } from '../definition/backend-entry.ts';
import type { AnyDriver, ResolvedOptions } from '../definition/driver.ts';
import { jsonSchemaProblem } from './json-schema-problem.ts';

/** The facts about a backend that options are checked against. */
export type BackendFacts = { id: string; label: string; capabilities: Capabilities };

/** A backend that an error may suggest instead. */
export type Alternative = Pick<BackendEntry, 'id' | 'capabilities' | 'isDemo'>;

/** Refuses a prompt that no agent can be given. */
export function checkPrompt(prompt: string): void {
  if (typeof prompt !== 'string') {
    throw new BatonError('usage', `The prompt must be a string, not ${typeof prompt}.`);
  }
  if (prompt.trim() === '') {
    throw new BatonError('usage', 'The prompt is empty.', {
      hint: 'Pass a prompt, for example baton run "Explain this repo".',
    });
  }
  if (prompt.includes('\0')) {
    throw new BatonError('usage', 'The prompt contains a NUL character.', {
      hint: 'Remove the NUL character.',
    });
  }
}

/** Refuses options that only a conversation as a whole can have. */
export function checkPromptOptions(options: object): void {
  const names: readonly string[] = PROMPT_OPTIONS;
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other === undefined) return;
  if (!(RUN_OPTION_KEYS as readonly string[]).includes(other)) throw noOption(other, names);
  throw new BatonError('capability_missing', `A conversation cannot change its ${other}.`, {
    hint: `Set ${other} in open(), or open another conversation.`,
  });
}

/** Fills in defaults and refuses, before anything starts, what the backend cannot do. */
export function resolveOptions(
  backend: BackendFacts,
  options: RunOptions,
  alternatives: readonly Alternative[],
): Omit<ResolvedOptions, 'trust' | 'protectedPaths'> {
  checkKeys(options);
  checkNames(options);
  const cwd = resolve(options.cwd ?? process.cwd());
  checkFolder(cwd);
  const permissionMode = options.permissionMode ?? 'ask';
  checkPermissionMode(backend, permissionMode);
  checkSupported(backend, options, alternatives);
  checkFiles(cwd, options);
  checkOutputSchema(options.outputSchema);
  if (options.fork && !options.resume) {
    throw new BatonError('usage', 'Only a resumed session can be forked.', {
      hint: 'Set the session to fork with the resume option.',
    });
  }
  return { ...options, cwd, permissionMode, env: { ...process.env, ...options.env } };
}

/** Refuses options that the backend cannot have in any folder. */
export function checkSupported(
  backend: BackendFacts,
  options: RunOptions,
  alternatives: readonly Alternative[],
): void {
  checkKeys(options);
  checkTimeouts(options.timeouts);
  checkLimits(options);
  checkTransport(backend, options.transport);
  const missing = unsupportedOptions(backend.capabilities, options);
  if (missing.length > 0) throw unsupported(backend, missing, alternatives);
}

/** Refuses options that only other agents have, and values that those of this one cannot have. */
export function checkProviderOptions(
  { label, providerOptions: known = {} }: Pick<Backend, 'label' | 'providerOptions'>,
  { providerOptions = {} }: Pick<RunOptions, 'providerOptions'>,
): void {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(providerOptions)) {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!option) {
      throw new BatonError('usage', `${label} has no provider option "${name}".`, {
        hint: names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.',
      });
    }
    if (value === undefined || option.fits(value)) continue;
    throw new BatonError('usage', `The provider option "${name}" must be ${option.what}.`);
  }
}

/** Lists the options that were asked for and that the backend does not support. */
export function unsupportedOptions(capabilities: Capabilities, options: RunOptions): OptionName[] {
  return OPTION_NAMES.filter(
    (name) => isAskedFor(options, name) && capabilities.options[name].support === 'unsupported',
  );
}

/** Lists the options that were asked for and that cannot be had in this way to talk to the agent. */
export function lackingOptions(driver: AnyDriver, options: RunOptions): OptionName[] {
  return OPTION_NAMES.filter((name) => driver.lacks?.[name] && isAskedFor(options, name));
}

/** Refuses options that another driver of the agent supports, but not this one. */
export function checkDriver(backend: BackendFacts, driver: AnyDriver, options: RunOptions): void {
  const names = lackingOptions(driver, options);
  if (names.length === 0) return;
  const reasons = names.map((name) => `${name} (${driver.lacks?.[name]})`).join(', ');
  throw new BatonError(
    'capability_missing',
    `The ${driver.transport} transport of ${backend.label} does not support ${reasons}.`,
    { hint: `Omit ${names.join(', ')}, or use another transport.` },
  );
}

/** Refuses an agent that would load the settings of an untrusted folder. */
export function checkTrust(
  { label, drivers }: { label: string; drivers: readonly AnyDriver[] },
  driver: AnyDriver,
  { trust, cwd, env }: Pick<ResolvedOptions, 'trust' | 'cwd' | 'env'>,
): void {
  if (driver.canWithholdSettings || driver.loadsSettings || trust.trusted) return;
  const others = settingsIn(cwd, driver.alsoLoads ?? [], env.HOME ?? homeFolder());
  const settings = [...trust.settings, ...others].filter((path) => hasContent(resolve(cwd, path)));
  if (settings.length === 0) return;
  const other = drivers.find(({ canWithholdSettings }) => canWithholdSettings)?.transport;
  throw new BatonError(
    'trust_required',
    `${label} cannot be kept from the settings of a folder (${settings.join(', ')}), and nobody has trusted this one: its hooks, plugins and MCP servers would start.`,
    {
      hint: `Trust the folder with "baton trust", or ${other ? `use the ${other} transport` : 'remove the settings'}.`,
    },
  );
}

/** Refuses what the agent's own interface cannot do. The system prompt can always be put in front of the prompt. */
export function checkInteractive(
  { label }: Pick<BackendFacts, 'label'>,
  lacks: readonly OptionName[],
  options: RunOptions,
): void {
  const names = lacks.filter((name) => name !== 'systemPrompt' && isAskedFor(options, name));
  if (names.length === 0) return;
  throw new BatonError(
    'capability_missing',
    `The interactive mode of ${label} does not support ${names.join(', ')}.`,
    { hint: 'Omit it, or use "baton run" (in a compiled agent, --print).' },
  );
}

function isAskedFor(options: RunOptions, name: OptionName): boolean {
  if (name === 'tools.allowed') return (options.tools?.allowed?.length ?? 0) > 0;
  if (name === 'tools.disallowed') return (options.tools?.disallowed?.length ?? 0) > 0;
  const value = options[name];
  if (value === undefined || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value !== 'object') return true;
  return Object.values(value).some((item) => item !== undefined);
}

function unsupported(
  backend: BackendFacts,
  names: readonly OptionName[],
  alternatives: readonly Alternative[],
): BatonError {
  const reasons = names.map((name) => {
    const how = backend.capabilities.options[name].how.replace(/\.$/, '');
    // The reason would only repeat the sentence.
    return how.endsWith('does not support it') ? name : `${name} (${how})`;
  });
  return new BatonError(
    'capability_missing',
    `${backend.label} does not support ${reasons.join(', ')}.`,
    {
      hint: `Omit ${names.join(', ')}, or choose a backend that supports it. ${whoHas(names, alternatives)}`,
    },
  );
}

function whoHas(names: readonly OptionName[], alternatives: readonly Alternative[]): string {
  const whoHasEach = names.map(
    (name) => backendsSupporting(name, alternatives).join(', ') || 'none',
  );
  // Only of several it has to be said which one is meant.
  const rows = names.map((name, index) => `${name}: ${whoHasEach[index]}`);
  return `Supported by: ${names.length === 1 ? whoHasEach[0] : rows.join('; ')}.`;
}

/** Refuses keys that the compiler would refuse, for callers without types. */
function checkKeys(options: RunOptions): void {
  const known: readonly string[] = RUN_OPTION_KEYS;
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw noOption(unknown, known);
  if (options.mode !== 'interactive') return;
  throw new BatonError('usage', 'A run is not interactive.', {
    hint: "Call interactive() for the agent's own terminal interface.",
  });
}

function noOption(name: string, known: readonly string[]): BatonError {
  const guesses = similarNames(name, known);
  return new BatonError('usage', `Unknown option "${name}".`, {
    hint:
      guesses.length > 0
        ? `Did you mean ${guesses.join(' or ')}?`
        : `Options: ${known.join(', ')}.`,
  });
}

/** Options whose empty value would silently mean something else than what the caller named. */
const NAMES = ['resume', 'sessionId', 'model', 'cwd', 'settings', 'mcpConfig'] as const;
/** Those that are passed to agents as they are, and are no paths. */
const PASSED: readonly string[] = ['resume', 'sessionId', 'model'];

/** Refuses empty names, as a script passes them when a variable is not set, and names that are flags. */
export function checkNames(options: RunOptions): void {
  for (const name of NAMES) {
    const value = options[name];
    if (typeof value !== 'string') continue;
    if (value.trim() === '') {
      throw new BatonError('usage', `The option ${name} is empty.`, {
        hint: 'Set a value or omit it. In a script, check that the variable is set.',
      });
    }
    // The agent would take it for a flag of its own, whoever chose the name.
    if (!PASSED.includes(name) || !/^\s*-|\p{Cc}/u.test(value)) continue;
    throw new BatonError('usage', `The option ${name} is not a name: ${JSON.stringify(value)}.`, {
      hint: 'A name does not begin with "-" and has no control characters.',
    });
  }
}

function checkFolder(cwd: string): void {
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  throw new BatonError(
    'cwd_missing',
    stats
      ? `The working directory is not a directory: ${cwd}`
      : `The working directory does not exist: ${cwd}`,
  );
}

/** Agents that miss a file say so in many ways, some of them only to the model. */
function checkFiles(cwd: string, { settings, mcpConfig, images = [] }: RunOptions): void {
  const files = [
    ['settings file', settings],
    ['MCP configuration', mcpConfig],
    ...images.map((image) => ['image', 'path' in image ? image.path : undefined] as const),
  ] as const;
  for (const [what, path] of files) {
    if (typeof path !== 'string' || existsSync(resolve(cwd, path))) continue;
    throw new BatonError('usage', `The ${what} does not exist: ${path}`, {
      hint: 'Check the path; it is relative to the working directory.',
    });
  }
}

function checkOutputSchema(schema: RunOptions['outputSchema']): void {
  const problem = schema === undefined ? undefined : jsonSchemaProblem(schema);
  if (problem === undefined) return;
  throw new BatonError('usage', `The output schema is not a valid JSON Schema: ${problem}`);
}

function checkTimeouts(timeouts: RunOptions['timeouts'] = {}): void {
  for (const [name, value] of Object.entries(timeouts)) {
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue;
    throw new BatonError(
      'usage',
      `The timeout ${name} must be a number of milliseconds, not ${value}.`,
      {
        hint: '0 means no limit.',
      },
    );
  }
}

function checkLimits({ maxTurns = 1, budgetUsd = 1 }: RunOptions): void {
  if (!Number.isInteger(maxTurns) || maxTurns < 1) {
    throw noLimit('maxTurns must be a whole number', maxTurns);
  }
  if (!(budgetUsd > 0)) throw noLimit('budgetUsd must be a number', budgetUsd);
}

function noLimit(what: string, value: number): BatonError {
  return new BatonError('usage', `The option ${what} above 0, not ${value}.`, {
    hint: 'Omit it for no limit.',
  });
}

function checkPermissionMode(backend: BackendFacts, mode: ResolvedOptions['permissionMode']): void {
  if (!PERMISSION_MODES.includes(mode)) {
    throw new BatonError('usage', `Unknown permission mode: ${mode}`, {
      hint: `Use one of ${PERMISSION_MODES.join(', ')}.`,
    });
  }
  if (backend.capabilities.permissionModes.includes(mode)) return;
  throw new BatonError(
    'capability_missing',
    `${backend.label} does not support permission mode "${mode}".`,
    {
      hint: modeHint(backend.capabilities.permissionModes),
    },
  );
}

function modeHint([first, ...more]: readonly string[]): string {
  if (more.length === 0) return `Use "${first}" (--permission-mode ${first}).`;
  return `Use one of ${[first, ...more].join(', ')}.`;
}

function checkTransport(backend: BackendFacts, transport: string | undefined): void {
  const { transports } = backend.capabilities;
  if (transport === undefined || transports.includes(transport)) return;
  throw new BatonError('usage', `${backend.label} has no transport "${transport}".`, {
    hint: `Use one of ${transports.join(', ')}.`,
  });
}

/** The backends that support an option, natively or emulated. */
function backendsSupporting(option: OptionName, backends: readonly Alternative[]): string[] {
  return backends
    .filter(({ isDemo }) => !isDemo)
    .filter(({ capabilities }) => capabilities.options[option].support !== 'unsupported')
    .map(({ id }) => id);
}
