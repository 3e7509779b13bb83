import { similarNames } from '@baton/config/values/similar-names';
import type { Backend, BackendSettings } from '@baton/engine/definition/backend';
import { type BackendEntry, SPEC_VERSION } from '@baton/engine/definition/backend-entry';
import type { KnownBackends } from '@baton/engine/definition/known-backends';
import { BatonError, type ErrorInfo } from '@baton/protocol/values';
import { KNOWN_ACP_NAMES, knownAcpEntry } from '../backends/acp/index.ts';
import { BUILT_IN } from '../backends/index.ts';
import { KNOWN_ACP_SETTINGS } from '../dialects/acp/known-agents.ts';

/** The default backend. */
export const DEFAULT_BACKEND = 'claude-cli';

const NAME = /^(?:acp:)?[a-z0-9][a-z0-9._-]*$/;

/** The backends of one Baton by their names and aliases; it begins with the built-in ones. */
export class Registry implements KnownBackends {
  #entries = new Map<string, BackendEntry>();
  /** The id of a backend by each of its names. */
  #ids = new Map<string, string>();
  #problems: ErrorInfo[] = [];
  /** Load errors by backend name. */
  #broken = new Map<string, ErrorInfo>();

  constructor() {
    for (const entry of BUILT_IN) this.register(entry);
  }

  /** Adds a backend under its own name and its aliases; refuses one for another version of the interface. */
  register(entry: BackendEntry): void {
    this.#check(entry);
    this.#entries.set(entry.id, entry);
    for (const name of namesOf(entry)) this.#ids.set(name, entry.id);
  }

  #check(entry: BackendEntry): void {
    if (entry.specVersion !== SPEC_VERSION) {
      throw new BatonError(
        'usage',
        `The backend "${entry.id}" requires version ${entry.specVersion} of the backend interface; this Baton has version ${SPEC_VERSION}.`,
        { hint: 'Install compatible releases of the backend and Baton.' },
      );
    }
    for (const name of namesOf(entry)) {
      if (!NAME.test(name)) {
        throw new BatonError('usage', `Invalid backend name "${name}".`, {
          hint: 'Use lowercase letters, digits, dots, hyphens and underscores.',
        });
      }
      const owner = this.#ids.get(name);
      if (owner === undefined) continue;
      throw new BatonError(
        'usage',
        owner === entry.id && name === entry.id
          ? `A backend named "${entry.id}" is already registered.`
          : `The backend "${entry.id}" cannot use the name "${name}": it belongs to "${owner}".`,
      );
    }
  }

  /** The canonical name of a backend; an unknown name is only trimmed and lowercased. */
  canonicalName(name: string): string {
    const plain = plainName(name);
    return this.#ids.get(plain) ?? plain;
  }

  /** All listed backends, installed or not. */
  entries(): BackendEntry[] {
    return [...this.#entries.values()];
  }

  settingsPaths(): string[] {
    const listed = this.entries().flatMap(({ settingsPaths }) => settingsPaths);
    return [...new Set([...listed, ...KNOWN_ACP_SETTINGS])];
  }

  /** The backend with this id, if there is one; also an agent of the protocol that is in no list. */
  find(id: string): BackendEntry | undefined {
    return this.#entries.get(id) ?? knownAcpEntry(id);
  }

  /** Finds a backend by its name or one of its aliases. */
  entry(name: string): BackendEntry {
    const entry = this.find(this.canonicalName(name));
    if (entry) return entry;
    this.checkConfigured(name);
    const guesses = similarNames(name, [...this.#ids.keys(), ...KNOWN_ACP_NAMES]);
    // A module that could not be loaded may have had the name.
    const named = [...this.#broken.values()];
    const module = this.#problems.find((problem) => !named.includes(problem));
    if (module && guesses.length === 0) {
      throw new BatonError('backend_unknown', `Unknown backend "${name}". ${module.message}`, {
        hint: module.hint,
      });
    }
    if (guesses.length === 0 && plainName(name).startsWith('acp:')) {
      throw new BatonError('backend_unknown', `Unknown agent "${name}".`, {
        hint: `Known agents are ${KNOWN_ACP_NAMES.slice(0, 3).join(', ')} and others (docs/acp.md). Add one with its command to acpAgents in ~/.baton/config.json, or pass --acp-command.`,
      });
    }
    throw new BatonError('backend_unknown', `Unknown backend "${name}".`, {
      hint:
        guesses.length > 0
          ? `Did you mean ${guesses.join(' or ')}?`
          : `Backends: ${[...this.#entries.keys()].join(', ')}.`,
    });
  }

  /** Throws if the user's settings have a backend of this very name that cannot be used, such as because the name is taken. */
  checkConfigured(name: string): void {
    const wrong = this.#broken.get(plainName(name));
    if (wrong) throw new BatonError('config_invalid', wrong.message, { hint: wrong.hint });
  }

  /** Records a problem with a backend that the user's settings name, for `problems` and for runs with its name. */
  noteProblem(problem: ErrorInfo, backend?: string): void {
    this.#problems.push(problem);
    if (backend !== undefined) this.#broken.set(plainName(backend), problem);
  }

  /** The problems with the backends that the user's settings name. */
  get problems(): readonly ErrorInfo[] {
    return this.#problems;
  }

  /** Makes the backend of an entry, which need not be registered. */
  async load(entry: BackendEntry, settings?: BackendSettings): Promise<Backend> {
    const [{ defineBackend }, adapter] = await Promise.all([
      import('@baton/engine/run/define-backend'),
      entry.load(),
    ]);
    return defineBackend({ ...entry, ...adapter }, this)(settings);
  }
}

function namesOf({ id, aliases = [] }: BackendEntry): string[] {
  return [id, ...aliases];
}

function plainName(name: string): string {
  return name.trim().toLowerCase();
}
