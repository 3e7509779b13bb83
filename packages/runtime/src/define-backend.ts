import { resolve } from 'node:path';
import {
  BatonError,
  type Capabilities,
  type CommandInfo,
  type ErrorInfo,
  type FolderTrust,
  type Introduction,
  type Probe,
  type RunOptions,
} from '@baton/protocol';
import type {
  AgentRun,
  Backend,
  BackendSettings,
  Conversation,
  OpenOptions,
  ProviderOptions,
  RunHooks,
  RunInput,
} from './backend.ts';
import {
  checkDriver,
  checkPrompt,
  checkProviderOptions,
  lackingOptions,
  resolveOptions,
} from './check-options.ts';
import { AgentConversation, type LocatedAgent } from './conversation.ts';
import type { Driver, LaunchInput, ResolvedOptions } from './driver.ts';
import { homeFolder } from './home-folder.ts';
import { runInTerminal } from './interactive.ts';
import { askForIntroduction, type IntroductionQuestion } from './introduction.ts';
import {
  type BinarySearch,
  findBinary,
  packageVersionNear,
  pathOutside,
  type SearchContext,
  skippedPrograms,
} from './process/index.ts';
import { TempFiles } from './temp-files.ts';
import { settingsIn } from './trust/folder-settings.ts';
import { decisionFor } from './trust/trusted-folders.ts';

export type Credentials = Pick<Probe, 'credentials' | 'credentialSource'>;
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
};

/** All that is particular to one agent. */
export type BackendSpec = {
  id: string;
  label: string;
  /** The command that installs the agent. */
  install: string;
  capabilities: Capabilities;
  /** The options that only this agent has, by their names. */
  providerOptions?: ProviderOptions;
  /** The ways to talk to the agent, the best first. */
  drivers: readonly Driver[];
  /** Where a folder has settings for this agent: hooks, tool servers, plugins, rules. There must be at least one. */
  settingsPaths: readonly string[];
  /** Whether the agent has been told by its user to trust a folder; nothing where it was told neither way. */
  trusts?(around: Surroundings): boolean | undefined;
  /** Where the agent's program is; a fixed command for agents that come with Baton. */
  binary: BinarySearch | { command: string; version: string };
  /** Looks for credentials without using them. */
  credentials(around: Surroundings): Credentials;
  /** How it tells its models and commands, where it does. */
  introduction?: IntroductionQuestion;
  /** The commands that a folder brings for the agent, found without running anything. */
  folderCommands?(cwd: string): CommandInfo[];
  /** What else would keep the agent from running here. */
  problems?(around: Surroundings): ErrorInfo[];
  /** Refuses a combination of options that this agent cannot do; throws. */
  check?(options: ResolvedOptions): void;
  /** The arguments of the agent's own interface; private files live as long as it runs. */
  interactiveArgs?(
    options: ResolvedOptions & { prompt?: string | undefined },
    tempFile: LaunchInput['tempFile'],
  ): string[];
};

/** Makes a backend out of what is particular to its agent. */
export function defineBackend(spec: BackendSpec): (settings?: BackendSettings) => Backend {
  return (settings = {}) => new DefinedBackend(spec, settings);
}

class DefinedBackend implements Backend {
  readonly id: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  readonly providerOptions: ProviderOptions | undefined;
  readonly settingsPaths: readonly string[];
  #spec: BackendSpec;
  #settings: BackendSettings;

  constructor(spec: BackendSpec, settings: BackendSettings) {
    this.id = spec.id;
    this.label = spec.label;
    this.capabilities = spec.capabilities;
    this.providerOptions = spec.providerOptions;
    this.settingsPaths = spec.settingsPaths;
    this.#spec = spec;
    this.#settings = settings;
  }

  async open(options: OpenOptions): Promise<Conversation> {
    return this.#converse(options);
  }

  run(request: RunInput): AgentRun {
    const { prompt, ...options } = request;
    checkPrompt(prompt);
    return this.#converse(options).run(prompt, { last: true, runId: options.runId });
  }

  async interactive(options: OpenOptions & { prompt?: string }): Promise<{ exitCode: number }> {
    const { interactiveArgs } = this.#spec;
    if (!interactiveArgs) {
      throw new BatonError('capability_missing', `${this.label} has no interface of its own.`, {
        hint: 'Use "baton run".',
      });
    }
    const { prompt, ...rest } = withoutHooks(options);
    // The agent's own interface asks its user whether the folder is trusted.
    const resolved = this.#resolve(rest, options.trusted ?? true);
    this.#check(resolved);
    const { path } = this.#locate(resolved);
    const files = new TempFiles();
    try {
      const tempFile = (name: string, content: string) => files.write(name, content);
      const args = interactiveArgs({ ...resolved, prompt }, tempFile);
      return await runInTerminal({ file: path, args, options: resolved });
    } finally {
      files.remove();
    }
  }

  async probe(options: Pick<RunOptions, 'cwd' | 'env'> = {}): Promise<Probe> {
    const around = surroundings(options);
    const problems: ErrorInfo[] = [];
    let found: { path: string; version?: string | undefined } | undefined;
    try {
      found = this.#locate({ ...around, probing: options.cwd === undefined });
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      problems.push(error.toJSON());
    }
    const { credentials, credentialSource } = this.#spec.credentials(around);
    if (found && credentials === 'missing') {
      problems.push(
        new BatonError(
          'auth_missing',
          `${this.label} has no credentials on this machine.`,
        ).toJSON(),
      );
    }
    if (found) problems.push(...(this.#spec.problems?.(around) ?? []));
    return {
      backend: this.id,
      installed: found !== undefined,
      path: found?.path,
      version: found?.version,
      credentials,
      credentialSource,
      skipped: this.#skipped(around),
      problems,
      install: this.#spec.install,
    };
  }

  trustOf(options: Pick<RunOptions, 'cwd' | 'env'> = {}): FolderTrust {
    const around = surroundings(options);
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
    // An agent in a folder that nobody trusted does not load them.
    if (!this.trustOf(options).trusted) return [];
    return this.#spec.folderCommands?.(surroundings(options).cwd) ?? [];
  }

  async introduce(
    env: Surroundings['env'],
    workspaces: readonly string[] = [],
  ): Promise<Introduction> {
    const { introduction } = this.#spec;
    if (!introduction) return { models: [], commands: [] };
    const around = { env, cwd: process.cwd(), probing: true, workspaces };
    const { path } = this.#locate(around);
    const PATH = pathOutside(around);
    return askForIntroduction(introduction, { file: path, env: { ...env, PATH } });
  }

  #converse(options: OpenOptions): AgentConversation {
    const plain = withoutHooks(options);
    const resolved = this.#resolve(plain, options.trusted);
    const driver = this.#driver(plain);
    checkDriver(this, driver, plain);
    this.#check(resolved);
    return new AgentConversation({
      backend: this,
      driver,
      options: resolved,
      hooks: hooksOf(options),
      locate: () => this.#locate(resolved),
      trust: () => this.#trust(plain, resolved, options.trusted),
      emulated: {
        systemPrompt: this.#emulates('systemPrompt') ? plain.systemPrompt : undefined,
        maxTurns: this.#emulates('maxTurns') ? plain.maxTurns : undefined,
        budgetUsd: this.#emulates('budgetUsd') ? plain.budgetUsd : undefined,
      },
    });
  }

  #resolve(options: RunOptions, trusted: boolean | undefined): ResolvedOptions {
    const resolved = resolveOptions(this, options);
    const { cwd, env } = resolved;
    return {
      ...resolved,
      env,
      trust: this.#trust(options, { cwd }, trusted),
      protectedPaths: this.#settings.protectedPaths ?? [],
    };
  }

  #trust({ env }: RunOptions, { cwd }: { cwd: string }, trusted: boolean | undefined): FolderTrust {
    const known = this.trustOf({ cwd, env });
    return trusted === undefined ? known : { ...known, trusted, decidedBy: 'caller' };
  }

  #check(options: ResolvedOptions): void {
    checkProviderOptions(this, options);
    this.#spec.check?.(options);
  }

  #emulates(option: 'systemPrompt' | 'maxTurns' | 'budgetUsd'): boolean {
    return this.capabilities.options[option].support === 'emulated';
  }

  /** The one that was named; in mode `print` the first that suits among those for one prompt; the best otherwise. */
  #driver(options: RunOptions): Driver {
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
    const isFixed = 'command' in binary || this.#settings.binary !== undefined;
    return isFixed ? [] : skippedPrograms(binary.name, around);
  }

  #locate(around: Omit<SearchContext, 'home'>): LocatedAgent {
    const { binary } = this.#spec;
    const explicit = this.#settings.binary;
    if ('command' in binary && !explicit) {
      return { path: binary.command, version: binary.version, skipped: [] };
    }
    const known = 'command' in binary ? { name: this.id } : binary;
    const search = explicit ? { ...known, explicit } : known;
    const { path, launcher, skipped } = findBinary(search, around);
    return { path, version: packageVersionNear(launcher ?? path), skipped };
  }
}

function surroundings({ cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): Surroundings {
  return {
    env: { ...process.env, ...env },
    home: env?.HOME ?? homeFolder(),
    cwd: resolve(cwd ?? '.'),
  };
}

function hooksOf(options: RunHooks): RunHooks {
  const { onRequest, signal, onLaunch, onPrinted, confine, maxProcesses } = options;
  return { onRequest, signal, onLaunch, onPrinted, confine, maxProcesses };
}

function withoutHooks<Options extends RunHooks>(options: Options): Omit<Options, keyof RunHooks> {
  const {
    onRequest: _onRequest,
    signal: _signal,
    onLaunch: _onLaunch,
    onPrinted: _onPrinted,
    runId: _runId,
    confine: _confine,
    trusted: _trusted,
    maxProcesses: _maxProcesses,
    ...rest
  } = options;
  return rest;
}
