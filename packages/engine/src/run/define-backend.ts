import { resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { TempFiles } from '@baton/config/paths/temp-files';
import { settingsIn } from '@baton/config/trust/folder-settings';
import { decisionFor } from '@baton/config/trust/trusted-folders';
import { programWords } from '@baton/config/values/command-words';
import {
  type BinarySearch,
  findBinary,
  findLibrary,
  packageVersionNear,
  pathOutside,
  type SearchContext,
  skippedPrograms,
} from '@baton/process';
import {
  type AgentCatalog,
  BatonError,
  type Capabilities,
  type CommandInfo,
  checkRequests,
  type ErrorInfo,
  errorInfo,
  type FolderTrust,
  type OutputSchema,
  type Probe,
  type RunOptions,
  readOutputSchema,
  type StructuredOf,
} from '@baton/protocol/values';
import type {
  AgentRun,
  Backend,
  BackendSettings,
  Conversation,
  OpenOptions,
  PromptOptions,
  ProviderOptions,
  RunHooks,
  RunInput,
} from '../definition/backend.ts';
import type { BackendSpec, Surroundings } from '../definition/backend-entry.ts';
import type { AnyDriver, ResolvedOptions } from '../definition/driver.ts';
import type { KnownBackends } from '../definition/known-backends.ts';
import { withSystemPrompt } from '../emulate/system-prompt.ts';
import {
  checkDriver,
  checkInteractive,
  checkPrompt,
  checkProviderOptions,
  checkTrust,
  lackingOptions,
  resolveOptions,
} from '../options/check-options.ts';
import { PRICES_OPTION } from '../prices/estimate-cost.ts';
import { AgentConversation } from './conversation.ts';
import type { Configuration, LocatedAgent } from './conversation-input.ts';
import { runInTerminal } from './interactive.ts';
import { queryCatalog } from './query-catalog.ts';
import { withoutForeignKeys } from './withheld-variables.ts';

/**
 * Makes a backend out of what is particular to its agent. Its runs protect the settings of the other known agents and
 * withhold their keys; a registry passes its own backends.
 */
export function defineBackend(
  spec: BackendSpec,
  known: KnownBackends = { entries: () => [], settingsPaths: () => spec.settingsPaths },
): (settings?: BackendSettings) => Backend {
  return (settings = {}) => new DefinedBackend(spec, settings, known);
}

class DefinedBackend implements Backend {
  readonly id: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  readonly providerOptions: ProviderOptions;
  readonly settingsPaths: readonly string[];
  #spec: BackendSpec;
  #settings: BackendSettings;
  #known: KnownBackends;

  constructor(spec: BackendSpec, settings: BackendSettings, known: KnownBackends) {
    this.id = spec.id;
    this.label = spec.label;
    this.capabilities = spec.capabilities;
    this.providerOptions = { ...spec.providerOptions, prices: PRICES_OPTION };
    this.settingsPaths = spec.settingsPaths;
    this.#spec = spec;
    this.#settings = settings;
    this.#known = known;
  }

  async open<const Schema extends OutputSchema>(
    options: OpenOptions<Record<string, unknown>, Schema>,
  ): Promise<Conversation<Record<string, unknown>, Schema>> {
    return this.#converse(options);
  }

  run<const Schema extends OutputSchema>(
    request: RunInput<Record<string, unknown>, Schema>,
  ): AgentRun<StructuredOf<Schema>> {
    const { prompt, ...options } = request;
    checkPrompt(prompt);
    const run = this.#converse(options).runLast(prompt, options.runId);
    return run as AgentRun<StructuredOf<Schema>>;
  }

  async interactive(options: OpenOptions & { prompt?: string }): Promise<{ exitCode: number }> {
    const { interactiveArgs, interactiveLacks = [] } = this.#spec;
    if (!interactiveArgs) {
      throw new BatonError('capability_missing', `${this.label} has no interactive mode.`, {
        hint: 'Use "baton run".',
      });
    }
    const { prompt: given, ...rest } = withoutHooks(options);
    // The agent's own interface asks its user whether the folder is trusted.
    const plain = plainOptions(rest).options;
    const resolved = this.#resolve(plain, options.trusted ?? true);
    checkInteractive(this, interactiveLacks, plain);
    this.#check(resolved);
    checkTrust(this.#spec, this.#driver({}), resolved);
    const prompt = interactiveLacks.includes('systemPrompt')
      ? withSystemPrompt(resolved.systemPrompt, given ?? '').trimEnd() || undefined
      : given;
    const { path, args: firstArgs = [] } = this.#locate(resolved);
    const files = new TempFiles();
    try {
      const tempFile = (name: string, content: string) => files.write(name, content);
      const args = [...firstArgs, ...interactiveArgs({ ...resolved, prompt }, tempFile)];
      options.onLaunch?.({ file: path, args, cwd: resolved.cwd, transport: 'interactive' });
      const visible = await this.#withoutForeignKeys(resolved);
      return await runInTerminal({ file: path, args, options: visible });
    } finally {
      files.remove();
    }
  }

  async probe(options: Pick<RunOptions, 'cwd' | 'env'> = {}): Promise<Probe> {
    const around = this.#surroundings(options);
    const problems: ErrorInfo[] = [];
    let found: LocatedAgent | undefined;
    try {
      found = this.#spec.reach
        ? { skipped: [], ...(await this.#spec.reach(around)) }
        : this.#locate({ ...around, probing: options.cwd === undefined });
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      problems.push(error.toJSON());
    }
    const {
      credentials = 'not_needed',
      credentialSource,
      hint,
    } = this.#spec.credentials?.(around) ?? {};
    if (found && credentials === 'missing') {
      problems.push(
        errorInfo('auth_missing', `${this.label} has no credentials on this machine.`, {
          ...(hint ? { hint } : {}),
        }),
      );
    }
    if (found) problems.push(...((await this.#spec.problems?.(around)) ?? []));
    return {
      backend: this.id,
      installed: found !== undefined,
      path: found?.library ?? found?.path,
      foundBy: found?.foundBy,
      version: found?.version,
      credentials,
      credentialSource,
      skipped: this.#skipped(around),
      problems,
      install: this.#spec.install,
    };
  }

  trustOf(options: Pick<RunOptions, 'cwd' | 'env'> = {}): FolderTrust {
    const around = this.#surroundings(options);
    const settings = settingsIn(around.cwd, this.settingsPaths, around.home);
    const byUser = decisionFor(around.cwd, this.#settings.trust ?? { trusted: [], untrusted: [] });
    if (byUser !== undefined) {
      return { folder: around.cwd, trusted: byUser, decidedBy: 'user', settings };
    }
    const byAgent = this.#spec.trusts?.(around);
    if (byAgent === undefined) return { folder: around.cwd, trusted: false, settings };
    return { folder: around.cwd, trusted: byAgent, decidedBy: 'agent', settings };
  }

  commandsIn(options: Pick<RunOptions, 'cwd' | 'env'> = {}): CommandInfo[] {
    // An agent in an untrusted folder does not load them.
    if (!this.trustOf(options).trusted) return [];
    return this.#spec.folderCommands?.(this.#surroundings(options).cwd) ?? [];
  }

  async queryCatalog(
    env: Surroundings['env'],
    workspaces: readonly string[] = [],
  ): Promise<AgentCatalog> {
    const { catalog } = this.#spec;
    if (!catalog) return { models: [], commands: [] };
    const around = { env, cwd: process.cwd(), probing: true, workspaces };
    const { path, args = [] } = this.#locate(around);
    const PATH = pathOutside(around);
    const query = { ...catalog, args: [...args, ...catalog.args] };
    const visible = await this.#withoutForeignKeys({ env: { ...env, PATH } });
    return queryCatalog(query, { file: path, env: visible.env });
  }

  #converse(options: OpenOptions): AgentConversation {
    const plain = withoutHooks(options);
    const driver = this.#driver(plainOptions(plain).options);
    const hooks = hooksOf(options);
    const check = (resolved: ResolvedOptions) => {
      this.#check(resolved);
      checkTrust(this.#spec, driver, resolved);
    };
    const configure = (changes: PromptOptions): Configuration => {
      const { options: given, parse } = plainOptions({ ...plain, ...changes });
      const resolved = this.#resolve(given, options.trusted);
      checkDriver(this, driver, given);
      check(resolved);
      const emulated = {
        systemPrompt: this.#emulates('systemPrompt') ? given.systemPrompt : undefined,
        maxTurns: this.#emulates('maxTurns') ? given.maxTurns : undefined,
        budgetUsd: this.#emulates('budgetUsd') ? given.budgetUsd : undefined,
      };
      return { options: resolved, emulated, parse };
    };
    checkRequests(hooks.requests);
    const opened = configure({});
    return new AgentConversation({
      backend: this,
      driver,
      opened,
      configure,
      check,
      withoutForeignKeys: (resolved) => this.#withoutForeignKeys(resolved),
      hooks,
      locate: () => this.#locate(opened.options),
      trust: () => this.#trust(plain, opened.options, options.trusted),
    });
  }

  #resolve(options: RunOptions, trusted: boolean | undefined): ResolvedOptions {
    const resolved = resolveOptions(this, options, this.#known.entries());
    const { cwd } = resolved;
    return {
      ...resolved,
      env: { ...resolved.env, ...this.#settings.env, ...options.env },
      givenVariables: Object.keys({ ...this.#settings.env, ...options.env }),
      trust: this.#trust(options, { cwd }, trusted),
      protectedPaths: [...this.#known.settingsPaths(), ...(this.#settings.protectedPaths ?? [])],
    };
  }

  #trust(
    { env }: Pick<RunOptions, 'env'>,
    { cwd }: { cwd: string },
    trusted: boolean | undefined,
  ): FolderTrust {
    const known = this.trustOf({ cwd, env });
    return trusted === undefined ? known : { ...known, trusted, decidedBy: 'caller' };
  }

  #surroundings({ cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): Surroundings {
    return {
      env: { ...process.env, ...this.#settings.env, ...env },
      home: env?.HOME ?? homeFolder(),
      cwd: resolve(cwd ?? '.'),
    };
  }

  #check(options: ResolvedOptions): void {
    checkProviderOptions(this, options);
    this.#checkClaim(options);
    this.#spec.check?.(options);
  }

  /** An agent that only claims to ask gets no mode that relies on it, unless the user does. */
  #checkClaim({ permissionMode }: ResolvedOptions): void {
    const isClaim = this.capabilities.permissions === 'claimed' && permissionMode !== 'allow-all';
    if (!isClaim || this.#settings.acceptsClaim) return;
    throw new BatonError(
      'capability_missing',
      `${this.label} claims to ask before it acts, but Baton has not verified it.`,
      {
        hint: `To rely on it in mode "${permissionMode}", add "${this.id}" to claimedPermissions in your configuration, or in a program call loadBackend("${this.id}", { acceptsClaim: true }). Or use permission mode "allow-all".`,
      },
    );
  }

  #withoutForeignKeys<Options extends Pick<ResolvedOptions, 'env' | 'givenVariables'>>(
    options: Options,
  ): Promise<Options> {
    return withoutForeignKeys(this.id, this.#known.entries(), options);
  }

  #emulates(option: 'systemPrompt' | 'maxTurns' | 'budgetUsd'): boolean {
    return this.capabilities.options[option].support === 'emulated';
  }

  /** The one that was named; in mode `print` the first that suits among those for one prompt; the best otherwise. */
  #driver(options: RunOptions): AnyDriver {
    const { drivers } = this.#spec;
    const named = drivers.find(({ transport }) => transport === options.transport);
    const oneShot = options.mode === 'print' ? drivers.filter((each) => !each.keepsProcess) : [];
    const suiting = oneShot.find((each) => lackingOptions(each, options).length === 0);
    const driver = named ?? suiting ?? oneShot[0] ?? drivers[0];
    if (!driver) throw new BatonError('internal', `${this.label} has no transport.`);
    return driver;
  }

  #skipped(around: SearchContext): string[] {
    const { binary } = this.#spec;
    const isGiven = this.#settings.binary !== undefined || this.#settings.command !== undefined;
    const isSearched = binary && 'name' in binary && !isGiven;
    return isSearched ? skippedPrograms(binary.name, around) : [];
  }

  #locate(around: Omit<SearchContext, 'home'>): LocatedAgent {
    const { binary } = this.#spec;
    const { binary: explicit, command } = this.#settings;
    if (!binary) return { path: '', skipped: [] };
    if (command) return locateCommand(command, around);
    if ('command' in binary && !explicit) {
      return { path: binary.command, version: binary.version, skipped: [] };
    }
    if ('library' in binary) {
      const search = { ...binary.library, ...(explicit ? { explicit } : {}) };
      const { entry, version } = findLibrary(search, around);
      return { path: process.execPath, version, library: entry, skipped: [] };
    }
    const known = 'command' in binary ? { name: this.id } : binary;
    const { install } = this.#spec;
    const search: BinarySearch = { ...known, install, ...(explicit ? { explicit } : {}) };
    const { path, via, launcher, skipped } = findBinary(search, around);
    const foundBy = explicit ? 'binaries' : via;
    const version = search.hasOtherVersion ? undefined : packageVersionNear(launcher ?? path);
    return { path, foundBy, version, skipped };
  }
}

/** Finds the program of a command that the user gave; its version is not that of the agent. */
function locateCommand(command: string, around: Omit<SearchContext, 'home'>): LocatedAgent {
  const [program = '', ...args] = programWords(command);
  const { path, skipped } = findBinary({ name: program, explicit: program }, around);
  return { path, args, skipped };
}

/** The options as they travel to an agent, and how its answer is parsed. */
function plainOptions({ outputSchema, ...rest }: Omit<OpenOptions, keyof RunHooks>) {
  const { json, parse } = readOutputSchema(outputSchema);
  const options: RunOptions = { ...rest, ...(json ? { outputSchema: json } : {}) };
  return { options, parse };
}

function hooksOf(options: RunHooks): RunHooks {
  const { onRequest, requests, signal, onLaunch, onPrinted, onSent, confine } = options;
  const { ready, maxProcesses } = options;
  const hooks = { onRequest, requests, signal, onLaunch, onPrinted, onSent, confine };
  return { ...hooks, ready, maxProcesses };
}

function withoutHooks<Options extends RunHooks>(options: Options): Omit<Options, keyof RunHooks> {
  const {
    onRequest: _onRequest,
    requests: _requests,
    signal: _signal,
    onLaunch: _onLaunch,
    onPrinted: _onPrinted,
    onSent: _onSent,
    runId: _runId,
    confine: _confine,
    trusted: _trusted,
    ready: _ready,
    maxProcesses: _maxProcesses,
    ...rest
  } = options;
  return rest;
}
