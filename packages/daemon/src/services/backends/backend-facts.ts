import type { Baton } from '@baton/agents/registry/baton';
import { probeOfBroken } from '@baton/agents/registry/broken-probe';
import { loadSettings } from '@baton/config/settings';
import type { Backend, ProviderOptions } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { type AgentCatalog, BatonError, jsonSchemaOf, type Probe } from '@baton/protocol';
import type { BackendRecord } from '@baton/protocol/wire';
import { AgentCatalogs } from './agent-catalogs.ts';

/** A probe starts programs, so its result is cached for a while. */
const FRESH_MS = 60_000;

/** The facts about an agent that do not depend on the caller. */
export type AgentFacts = Omit<BackendRecord, 'key_variables' | 'default_options'>;

type Known = { record: Promise<AgentFacts>; until: number };

/** Cached facts about the agents on this machine. */
export class BackendFacts {
  #baton: Baton;
  #now: () => number;
  #catalogs: AgentCatalogs;
  #workspaces: () => Promise<readonly string[]>;
  #known = new Map<string, Known>();

  /** Programs in the workspaces are never run. */
  constructor(
    baton: Baton,
    now: () => number,
    workspaces: () => Promise<readonly string[]> = async () => [],
  ) {
    this.#baton = baton;
    this.#workspaces = workspaces;
    this.#now = now;
    this.#catalogs = new AgentCatalogs(baton.registry, now);
  }

  /** Probes an agent again, ignoring the cache. */
  again(id: string): Promise<AgentFacts> {
    this.#known.delete(id);
    this.#catalogs.forget(id);
    return this.of(id);
  }

  /** Returns the facts about an agent, from the cache while they are fresh. */
  of(id: string): Promise<AgentFacts> {
    const known = this.#known.get(id);
    if (known && this.#now() < known.until) return known.record;
    const record = this.now(id);
    this.#known.set(id, { record, until: this.#now() + FRESH_MS });
    record.catch(() => this.#known.delete(id));
    return record;
  }

  /** Probes an agent now, for a task in a folder; programs in that folder are never run. */
  now(id: string, cwd?: string): Promise<AgentFacts> {
    const workspaces = async () => [
      ...(await this.#workspaces()),
      ...(cwd === undefined ? [] : [cwd]),
    ];
    return describe(this.#baton, id, cwd === undefined ? {} : { cwd }, (backend, probe) =>
      this.#catalogs.of(backend, probe, workspaces),
    );
  }
}

async function describe(
  baton: Baton,
  id: string,
  place: { cwd?: string },
  queryCatalog: (backend: Backend, probe: Probe) => Promise<AgentCatalog>,
): Promise<AgentFacts> {
  // An executor reads the settings too, and complains about what is wrong with them.
  const settings = loadSettings({ program: 'baton', ...place, onProblem: () => {} });
  const entry = baton.backend(id);
  const backend = await baton.withSettings(settings).load(entry).catch(brokenBy);
  if (BatonError.is(backend)) return brokenRecord(entry, backend);
  const { label, capabilities, providerOptions } = backend;
  const probe = await backend.probe(place);
  const { models, commands } = await queryCatalog(backend, probe);
  const ofFolder = place.cwd === undefined ? [] : (backend.commandsIn?.(place) ?? []);
  return {
    id,
    label,
    aliases: [...(entry.aliases ?? [])],
    capabilities,
    options_schema: jsonSchemaOf('RunRequest'),
    provider_options_schema: providerOptions ? schemaOf(providerOptions) : null,
    models,
    commands: [...ofFolder, ...commands],
    probe,
  };
}

function brokenBy(error: unknown): BatonError {
  if (BatonError.is(error)) return error;
  throw error;
}

/** Returns the record of an agent whose backend cannot be loaded, with the reason. */
function brokenRecord(entry: BackendEntry, problem: BatonError): AgentFacts {
  const { id, label, aliases = [], capabilities } = entry;
  return {
    id,
    label,
    aliases: [...aliases],
    capabilities,
    options_schema: jsonSchemaOf('RunRequest'),
    provider_options_schema: null,
    models: [],
    commands: [],
    probe: probeOfBroken(entry, problem),
  };
}

function schemaOf(options: ProviderOptions): Record<string, unknown> {
  const parts = Object.entries(options).map(([name, { schema }]) => [name, schema]);
  return {
    type: 'object',
    properties: Object.fromEntries(parts),
    additionalProperties: false,
  };
}
