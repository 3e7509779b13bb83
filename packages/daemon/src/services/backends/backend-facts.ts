import { type Capabilities, type Introduction, jsonSchemaOf, type Probe } from '@baton/protocol';
import {
  BACKEND_ALIASES,
  type Backend,
  configuredBackend,
  loadSettings,
  type ProviderOptions,
} from '@baton/runtime';
import { Introductions } from './introductions.ts';

/** A probe starts programs, so what it found counts for a while. */
const FRESH_MS = 60_000;

export type BackendRecord = {
  id: string;
  label: string;
  aliases: readonly string[];
  capabilities: Capabilities;
  options_schema: Record<string, unknown>;
  provider_options_schema: Record<string, unknown> | null;
  probe: Probe;
} & Introduction;

type Known = { record: Promise<BackendRecord>; until: number };

/** What is known of the agents on this machine. */
export class BackendFacts {
  #now: () => number;
  #introductions: Introductions;
  #workspaces: () => Promise<readonly string[]>;
  #known = new Map<string, Known>();

  /** Programs in the workspaces are never run. */
  constructor(now: () => number, workspaces: () => Promise<readonly string[]> = async () => []) {
    this.#workspaces = workspaces;
    this.#now = now;
    this.#introductions = new Introductions(now);
  }

  /** Looks at an agent anew, whatever is known of it. */
  again(id: string): Promise<BackendRecord> {
    this.#known.delete(id);
    this.#introductions.forget(id);
    return this.of(id);
  }

  /** What is known of one agent, looked at anew when it was long ago. */
  of(id: string): Promise<BackendRecord> {
    const known = this.#known.get(id);
    if (known && this.#now() < known.until) return known.record;
    const record = this.now(id);
    this.#known.set(id, { record, until: this.#now() + FRESH_MS });
    record.catch(() => this.#known.delete(id));
    return record;
  }

  /** What is true of an agent right now, for a task in a folder, which never brings its own agent. */
  now(id: string, cwd?: string): Promise<BackendRecord> {
    const workspaces = async () => [
      ...(await this.#workspaces()),
      ...(cwd === undefined ? [] : [cwd]),
    ];
    return describe(id, cwd === undefined ? {} : { cwd }, (backend, probe) =>
      this.#introductions.of(backend, probe, workspaces),
    );
  }
}

async function describe(
  id: string,
  place: { cwd?: string },
  introduce: (backend: Backend, probe: Probe) => Promise<Introduction>,
): Promise<BackendRecord> {
  // An executor reads the settings too, and complains about what is wrong with them.
  const settings = loadSettings({ program: 'baton', ...place, onProblem: () => {} });
  const backend = await configuredBackend(id, settings);
  const { label, capabilities, providerOptions } = backend;
  const probe = await backend.probe(place);
  const { models, commands } = await introduce(backend, probe);
  const ofFolder = place.cwd === undefined ? [] : (backend.commandsIn?.(place) ?? []);
  return {
    id,
    label,
    aliases: BACKEND_ALIASES[id] ?? [],
    capabilities,
    options_schema: jsonSchemaOf('RunRequest'),
    provider_options_schema: providerOptions ? schemaOf(providerOptions) : null,
    models,
    commands: [...ofFolder, ...commands],
    probe,
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
