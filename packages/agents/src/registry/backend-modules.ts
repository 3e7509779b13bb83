import { readFileSync } from 'node:fs';
// Not by names: bundled programs often declare a `createRequire` of their own.
import nodeModule from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeFolder } from '@baton/config/paths/home-folder';
import { type Settings, userConfigPath } from '@baton/config/settings';
import { isObject, type Json } from '@baton/config/values/json';
import * as adapterKit from '@baton/engine/adapter';
import type { Adapter, BackendEntry } from '@baton/engine/definition/backend-entry';
import { BatonError, capabilitiesSchema } from '@baton/protocol';
import type { Registry } from './registry.ts';

/** Registers the backends of the modules that the user's settings name, and records their load errors. */
export async function registerBackendModules(
  registry: Registry,
  settings: Settings,
  home: string,
): Promise<void> {
  const folder = dirname(userConfigPath(home));
  for (const name of settings.get('backendModules') ?? []) {
    try {
      const entry = await loadBackendModule(name, folder, home);
      try {
        registry.register(entry);
      } catch (error) {
        throw broken(name, messageOf(error), error);
      }
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      registry.noteProblem(error.toJSON());
    }
  }
  for (const setting of ['binaries', 'commands'] as const) {
    const names = Object.keys(settings.get(setting) ?? {});
    for (const name of names) noteUnknown(registry, name, setting, settings);
  }
}

function noteUnknown(
  registry: Registry,
  name: string,
  setting: 'binaries' | 'commands',
  settings: Settings,
): void {
  const names = registry.entries().flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  if (names.includes(name.trim().toLowerCase())) return;
  const message = `${setting} (${settings.origin(setting)}): unknown backend "${name}".`;
  registry.noteProblem(new BatonError('config_invalid', message).toJSON());
}

/** Loads the backend of a module, given by a path or the name of a package, as seen from a folder. */
export async function loadBackendModule(
  name: string,
  folder: string,
  home?: string,
): Promise<BackendEntry> {
  return (await importBackendModule(name, folder, home)).entry;
}

/** The same, with everything that the module exports. */
export async function importBackendModule(
  name: string,
  folder: string,
  home: string = homeFolder(),
): Promise<{ entry: BackendEntry; exported: Json }> {
  const file = fileOf(name, folder, home);
  let exported: Json;
  try {
    // Not with import(), which the bundle of the command does not have.
    exported = nodeModule.createRequire(file)(file);
  } catch (cause) {
    throw broken(name, `Loading failed: ${loadProblem(cause, file)}`, cause);
  }
  const entry = checkEntry(name, await made(name, exported.default));
  const load = async () => checkAdapter(name, await adapterOf(name, entry));
  return { entry: { ...entry, load }, exported };
}

async function made(name: string, exported: unknown): Promise<unknown> {
  if (typeof exported !== 'function') return exported;
  try {
    return await exported(adapterKit);
  } catch (cause) {
    throw broken(name, `Its function failed: ${messageOf(cause)}`, cause);
  }
}

async function adapterOf(name: string, entry: BackendEntry): Promise<Adapter> {
  try {
    return await entry.load();
  } catch (cause) {
    throw broken(name, `load() failed: ${messageOf(cause)}`, cause);
  }
}

function checkEntry(name: string, entry: unknown): BackendEntry {
  if (!isObject(entry)) {
    throw broken(name, 'Its default export must be a backend or a function that returns one.');
  }
  const problems = [
    ...(Number.isInteger(entry.specVersion) ? [] : ['specVersion must be a number']),
    ...['id', 'label', 'install']
      .filter((key) => !isText(entry[key]))
      .map((key) => `${key} must be a string`),
    ...(isTexts(entry.aliases ?? []) ? [] : ['aliases must be an array of strings']),
    ...(isTexts(entry.settingsPaths) ? [] : ['settingsPaths must be an array of strings']),
    ...(entry.binary === undefined || isBinary(entry.binary)
      ? []
      : ['binary must be { name } or { command, version }']),
    ...(typeof entry.load === 'function' ? [] : ['load must be a function']),
    ...capabilityProblems(entry.capabilities),
  ];
  if (problems.length > 0) throw broken(name, `Its backend is incomplete: ${problems.join('; ')}.`);
  return entry as BackendEntry;
}

function capabilityProblems(capabilities: unknown): string[] {
  const parsed = capabilitiesSchema.safeParse(capabilities);
  if (parsed.success) return [];
  return parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${['capabilities', ...path].join('.')}: ${message}`);
}

function checkAdapter(name: string, adapter: unknown): Adapter {
  if (!isObject(adapter)) throw broken(name, 'load() returned no adapter.');
  const { drivers, credentials } = adapter;
  const problems = [
    ...(Array.isArray(drivers) && drivers.length > 0 ? [] : ['drivers must be a non-empty array']),
    ...(Array.isArray(drivers) ? drivers.flatMap(driverProblems) : []),
    ...(credentials === undefined || typeof credentials === 'function'
      ? []
      : ['credentials must be a function']),
  ];
  if (problems.length > 0) throw broken(name, `Its adapter is incomplete: ${problems.join('; ')}.`);
  return adapter as Adapter;
}

function driverProblems(driver: unknown, index: number): string[] {
  if (!isObject(driver)) return [`drivers[${index}] must be an object`];
  return [
    ...(isText(driver.transport) ? [] : [`drivers[${index}].transport must be a string`]),
    ...(isObject(driver.stop) ? [] : [`drivers[${index}].stop must say how to stop the agent`]),
    ...(typeof driver.dialect === 'function'
      ? []
      : [`drivers[${index}].dialect must be a function`]),
    ...(typeof (driver.launch ?? driver.connect) === 'function'
      ? []
      : [`drivers[${index}] must have launch or connect`]),
  ];
}

/** Returns the reason why a module could not be loaded, with the place in its file if that is known. */
function loadProblem(cause: unknown, file: string): string {
  const { code, message, stack = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ERR_REQUIRE_ASYNC_MODULE') return 'top-level await is not supported.';
  const at = stack.split('\n').find((line) => line.includes(file));
  const place = at === undefined ? undefined : /:(\d+(?::\d+)?)\)?$/.exec(at)?.[1];
  return place === undefined ? (message ?? String(cause)) : `${message} (line ${place})`;
}

function broken(name: string, why: string, cause?: unknown): BatonError {
  return new BatonError('config_invalid', `Invalid backend module ${name}. ${why}`, {
    hint: 'Fix the module, or remove it from backendModules in ~/.baton/config.json.',
    cause,
  });
}

function fileOf(name: string, folder: string, home: string): string {
  if (name.startsWith('~/')) return join(home, name.slice(2));
  if (isAbsolute(name) || /^\.{1,2}\//.test(name) || /\.[cm]?[jt]s$/.test(name)) {
    return resolve(folder, name);
  }
  return packageFile(name, folder);
}

/** The main file of a package, found as `import` would find it from the folder. */
function packageFile(name: string, folder: string): string {
  const from = join(folder, 'package.json');
  try {
    return nodeModule.createRequire(from).resolve(name);
  } catch (cause) {
    const manifest = findManifest(name, from);
    if (manifest) return resolve(dirname(manifest), importedFile(manifest));
    throw broken(
      name,
      `The package is not installed in ${folder}: run "npm install --prefix ${folder} ${name}".`,
      cause,
    );
  }
}

function findManifest(name: string, from: string): string | undefined {
  try {
    // Imported by its name, it would end an old Node before that is told which one Baton needs.
    return nodeModule.findPackageJSON(name, pathToFileURL(from));
  } catch {
    return undefined;
  }
}

/** Returns the file that a package without CommonJS offers to `import`. */
function importedFile(manifest: string): string {
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: unknown };
  const main = isObject(exports) ? (exports['.'] ?? exports) : exports;
  const file = isObject(main) ? (main.import ?? main.default) : main;
  if (typeof file === 'string') return file;
  return isObject(file) && typeof file.default === 'string' ? file.default : 'index.js';
}

function isBinary(value: unknown): boolean {
  return (
    isObject(value) && (isText(value.name) || (isText(value.command) && isText(value.version)))
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
