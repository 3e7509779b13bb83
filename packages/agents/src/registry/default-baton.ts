import type { Backend, BackendSettings } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import type { AgentRun, LaunchRequest, OutputSchema, StructuredOf } from '@baton/protocol/values';
import type { OptionsOf } from '../options/options-of.ts';
import type { Baton } from './baton.ts';
import { configureRegistry } from './create-baton.ts';
import { Registry } from './registry.ts';

/** The Baton of the functions below, which programs call without creating one. It is the only state of this module. */
const shared: { registry?: Registry; baton?: Promise<Baton> | undefined } = {};

/** The default Baton. The first call reads the user's settings; a call that fails does not prevent the next one. */
export function defaultBaton(): Promise<Baton> {
  shared.baton ??= configureRegistry(defaultRegistry()).catch((error: unknown) => {
    shared.baton = undefined;
    throw error;
  });
  return shared.baton;
}

/** Starts an agent in this program, with the user's settings. */
export async function launch<const Schema extends OutputSchema = OutputSchema>(
  request: LaunchRequest<Schema>,
): Promise<AgentRun<StructuredOf<Schema>>> {
  return (await defaultBaton()).launch<Schema>(request);
}

/** Loads a backend by its name or one of its aliases, with the user's settings; the given ones win. */
export async function loadBackend<Name extends string>(
  name: Name,
  settings?: BackendSettings,
): Promise<Backend<OptionsOf<Name>>> {
  return (await defaultBaton()).loadBackend(name, settings);
}

/** Adds a backend for `launch` and `loadBackend`. */
export function registerBackend(entry: BackendEntry): void {
  defaultRegistry().register(entry);
}

/** The registry of the default Baton, with the user's own backends as soon as the settings have been read. */
export function defaultRegistry(): Registry {
  shared.registry ??= new Registry();
  return shared.registry;
}
