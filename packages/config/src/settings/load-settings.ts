import { dirname } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { homeFolder } from '../paths/home-folder.ts';
import { decisionFor } from '../trust/trusted-folders.ts';
import {
  type ConfigFile,
  findProjectConfig,
  type ReadText,
  readConfigFile,
  userConfigPath,
} from './config-file.ts';
import { withKeptDecisions } from './keep-decision.ts';
import {
  type Program,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
} from './setting-table.ts';

export type SettingsInput = {
  program: Program;
  cwd?: string | undefined;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  home?: string | undefined;
  /** Reads the project's file, where not every file may be read. */
  readProject?: ReadText | undefined;
  /** Values that were given on the command line, still as text. */
  flags?: Partial<Record<SettingName, unknown>> | undefined;
  /** Called with a problem of a file or a value, which is then ignored; without it, the problem is thrown. */
  onProblem?: ((problem: BatonError) => void) | undefined;
};

export type LoadedSetting<Value = unknown> = { value: Value | undefined; origin: string };

type Candidate = {
  raw: unknown;
  origin: string;
  /** Exact place, for an error. */
  place?: string | undefined;
  reader?: Setting['reader'] | undefined;
  project?: boolean;
};

/** The settings of one program, each with the place it came from. */
export class Settings {
  readonly warnings: string[];
  #loaded: ReadonlyMap<SettingName, LoadedSetting>;

  constructor(loaded: ReadonlyMap<SettingName, LoadedSetting>, warnings: string[]) {
    this.#loaded = loaded;
    this.warnings = warnings;
  }

  get<Name extends SettingName>(name: Name): SettingValue<Name> | undefined {
    return this.#loaded.get(name)?.value as SettingValue<Name> | undefined;
  }

  /** Returns the source of a value: a flag, a variable, a file, or the default. */
  origin(name: SettingName): string {
    return this.#loaded.get(name)?.origin ?? 'not set';
  }

  /** Returns only the settings given as flags of this call, without files, variables and defaults. */
  onlyFlags(): Settings {
    const said = [...this.#loaded].filter(([name, { origin }]) => origin === flagOrigin(name));
    return new Settings(new Map(said), this.warnings);
  }
}

/** Loads all settings: flags first, then variables, the project's file, the user's file, defaults. */
export function loadSettings(input: SettingsInput): Settings {
  const home = input.home ?? homeFolder();
  const projectPath = findProjectConfig(input.cwd ?? process.cwd());
  const attempt = <Result>(act: () => Result) => attemptWith(input.onProblem, act);
  return resolveSettings(input, {
    project: projectPath
      ? attempt(() => readConfigFile(projectPath, input.readProject))
      : undefined,
    user: attempt(() => withKeptDecisions(readConfigFile(userConfigPath(home)), home)),
  });
}

/** Loads the settings of the user alone: variables first, then the user's file, defaults. */
export function loadUserSettings({
  home = homeFolder(),
  ...input
}: Omit<SettingsInput, 'cwd'>): Settings {
  return resolveSettings(input, {
    user: withKeptDecisions(readConfigFile(userConfigPath(home)), home),
  });
}

/** Settings that a program passes, with the names and values of a file; nothing else is read. */
export function givenSettings(values: Readonly<Record<string, unknown>>): Settings {
  const path = 'createBaton';
  checkSettingNames(values);
  const user = { path, values, place: () => path };
  return resolveSettings({ program: 'baton', env: {} }, { user });
}

function checkSettingNames(values: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown === undefined) return;
  throw new BatonError('usage', `Unknown setting "${unknown}".`);
}

/** Like `loadSettings`, with files that were read already: it reads none. */
export function resolveSettings(
  input: Omit<SettingsInput, 'cwd' | 'home'>,
  { project, user }: { project?: ConfigFile | undefined; user?: ConfigFile | undefined },
): Settings {
  const warnings = [...(project?.unknown ?? []), ...(user?.unknown ?? [])];
  const loaded = new Map<SettingName, LoadedSetting>();
  for (const name of SETTING_NAMES) {
    const places = candidates(name, input, project, user);
    const found = attemptWith(input.onProblem, () =>
      loadOne(name, places, input.program, warnings),
    );
    loaded.set(name, found ?? fallbackOf(name, input.program));
  }
  if (project && !isTrusted(project, loaded)) {
    narrowAll(loaded, { project, user, program: input.program, warnings });
  }
  return new Settings(loaded, warnings);
}

function isTrusted(project: ConfigFile, loaded: ReadonlyMap<SettingName, LoadedSetting>): boolean {
  const folders = (name: SettingName) => (loaded.get(name)?.value ?? []) as string[];
  const trusted = folders('trustedFolders');
  const untrusted = folders('untrustedFolders');
  return decisionFor(dirname(project.path), { trusted, untrusted }) === true;
}

type Narrowing = {
  project: ConfigFile;
  user: ConfigFile | undefined;
  program: Program;
  warnings: string[];
};

/** Lets a project set nothing wider than the user's own file or the default has it. */
function narrowAll(
  loaded: Map<SettingName, LoadedSetting>,
  { project, user, program, warnings }: Narrowing,
): void {
  for (const [name, { value, origin }] of loaded) {
    const { narrow }: Setting = SETTINGS[name];
    if (!narrow || origin !== project.path) continue;
    const own = loadOne(name, [inFile(user, name)], program, []);
    const narrowed = narrow(value, own.value);
    if (JSON.stringify(narrowed) === JSON.stringify(value)) continue;
    const isOwn = JSON.stringify(narrowed) === JSON.stringify(own.value);
    loaded.set(name, { value: narrowed, origin: isOwn ? own.origin : origin });
    warnings.push(
      `${project.place(name)}: ${name} ${JSON.stringify(project.values[name])} is wider than your own. Using ${JSON.stringify(narrowed)}. To accept it, trust the folder (baton trust), or set ${SETTINGS[name].variable}.`,
    );
  }
}

function attemptWith<Result>(
  onProblem: SettingsInput['onProblem'],
  act: () => Result,
): Result | undefined {
  if (!onProblem) return act();
  try {
    return act();
  } catch (problem) {
    if (!BatonError.is(problem)) throw problem;
    onProblem(problem);
    return undefined;
  }
}

function fallbackOf(name: SettingName, program: Program): LoadedSetting {
  const setting: Setting = SETTINGS[name];
  const value = setting.defaults?.[program];
  return { value, origin: value === undefined ? 'not set' : 'default' };
}

function candidates(
  name: SettingName,
  { program, env = process.env, flags = {} }: Omit<SettingsInput, 'cwd' | 'home'>,
  project: ConfigFile | undefined,
  user: ConfigFile | undefined,
): Candidate[] {
  const setting: Setting = SETTINGS[name];
  const own = setting.programVariables?.[program];
  const shared = setting.sharedVariable;
  return [
    { raw: flags[name], origin: flagOrigin(name) },
    ...(own ? [{ raw: set(env[own.name]), origin: own.name, reader: own.reader }] : []),
    { raw: set(env[setting.variable]), origin: setting.variable },
    ...(shared ? [{ raw: set(env[shared]), origin: shared }] : []),
    { ...inFile(project, name), project: true },
    inFile(user, name),
  ];
}

function flagOrigin(name: SettingName): string {
  const setting: Setting = SETTINGS[name];
  return setting.flag ?? 'option';
}

function inFile(file: ConfigFile | undefined, name: SettingName): Candidate {
  const raw = file?.values[name];
  const place = raw === undefined ? undefined : file?.place(name);
  return { raw, origin: file?.path ?? '', place };
}

function loadOne(
  name: SettingName,
  places: readonly Candidate[],
  program: Program,
  warnings: string[],
): LoadedSetting {
  const setting: Setting = SETTINGS[name];
  const fallback = fallbackOf(name, program);
  const found = places.find(({ raw }) => raw !== undefined);
  if (!found) return fallback;
  const reader = found.reader ?? setting.reader;
  const value = reader.read(found.raw);
  const place = found.place ?? found.origin;
  const shown = setting.secret ? 'its value' : JSON.stringify(found.raw);
  if (setting.notInFiles && found.place !== undefined) {
    throw new BatonError(
      'config_invalid',
      `${place}: ${name} is a secret and may not be in a file.`,
      {
        hint: `Remove it, and set ${setting.variable}.`,
      },
    );
  }
  if (value === undefined) {
    const message = `${name} (${place}): ${shown} is not ${reader.expected}.`;
    if (!setting.lenient?.includes(program)) throw new BatonError('config_invalid', message);
    warnings.push(`${message} Using ${JSON.stringify(fallback.value)}.`);
    return fallback;
  }
  if (found.project && isUserOnly(setting, value)) {
    throw new BatonError('config_invalid', `${place} may not set ${name} to ${shown}.`, {
      hint: `A project file could use this to run any program. Set it in ~/.baton/config.json or ${setting.variable}.`,
    });
  }
  return { value, origin: found.origin };
}

function isUserOnly({ userOnly }: Setting, value: unknown): boolean {
  return userOnly === true || (userOnly?.includes(value) ?? false);
}

/** An empty variable counts as none. */
function set(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
