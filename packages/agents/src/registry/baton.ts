import type { Settings } from '@baton/config/settings/load-settings';
import type { Backend, BackendSettings } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import type {
  AgentRun,
  ErrorInfo,
  LaunchRequest,
  OutputSchema,
  StructuredOf,
} from '@baton/protocol/values';
import { COMMAND_BACKEND, givenAcpEntry } from '../backends/acp/index.ts';
import type { OptionsOf } from '../options/options-of.ts';
import {
  backendSettings,
  type GivenBinary,
  givenBinary,
  mergedSettings,
} from './backend-settings.ts';
import type { Registry } from './registry.ts';

/** Backends and the settings that they run with. `createBaton` makes one; two of them share nothing. */
export class Baton {
  /** The backends of this Baton. */
  readonly registry: Registry;
  #settings: Settings;

  constructor(registry: Registry, settings: Settings) {
    this.registry = registry;
    this.#settings = settings;
  }

  /** Starts an agent in this program. */
  async launch<const Schema extends OutputSchema = OutputSchema>({
    backend,
    ...request
  }: LaunchRequest<Schema>): Promise<AgentRun<StructuredOf<Schema>>> {
    return (await this.loadBackend(backend)).run<Schema>(request);
  }

  /** Loads a backend by its name or one of its aliases; the given settings win over those of this Baton. */
  async loadBackend<Name extends string>(
    name: Name,
    given: BackendSettings = {},
  ): Promise<Backend<OptionsOf<Name>>> {
    // A user who gave a broken agent the name of another one means their own.
    this.registry.checkConfigured(name);
    this.#registerCommand(name);
    const backend = await this.load(this.registry.entry(name), given);
    return backend as Backend<OptionsOf<Name>>;
  }

  /** Loads the backend of an entry, whatever the settings have under its name. */
  async load(entry: BackendEntry, given: BackendSettings = {}): Promise<Backend> {
    const own = backendSettings(this.registry, entry, this.#settings);
    return this.registry.load(entry, mergedSettings(own, given));
  }

  /** Finds a backend by its name or one of its aliases, without loading it; throws if there is none. */
  backend(name: string): BackendEntry {
    return this.registry.entry(name);
  }

  /** All listed backends, installed or not. */
  backends(): BackendEntry[] {
    return this.registry.entries();
  }

  /** Adds a backend under its own name and its aliases. */
  register(entry: BackendEntry): void {
    this.registry.register(entry);
  }

  /** Problems with the backends that the settings name; a run with such a name fails with its problem. */
  get problems(): readonly ErrorInfo[] {
    return this.registry.problems;
  }

  /** The same backends with other settings, such as those of a folder or with the flags of a command. */
  withSettings(settings: Settings): Baton {
    return new Baton(this.registry, settings);
  }

  /** The program or command that the settings have for a backend. */
  givenBinary(name: string): GivenBinary | undefined {
    return givenBinary(this.registry, this.registry.entry(name), this.#settings);
  }

  /** Paths that no agent edits without asking, in addition to the built-in list. */
  protectedPaths(): string[] {
    return [...this.registry.settingsPaths(), ...(this.#settings.get('protectedPaths') ?? [])];
  }

  /** Registers the agent of the setting `acpCommand`, which has no name of its own. */
  #registerCommand(name: string): void {
    const command = this.#settings.get('acpCommand');
    const { registry } = this;
    if (!command || registry.canonicalName(name) !== COMMAND_BACKEND) return;
    if (registry.find(COMMAND_BACKEND)) return;
    registry.register(givenAcpEntry(COMMAND_BACKEND.slice('acp:'.length), command));
  }
}
