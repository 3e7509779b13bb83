import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '@baton/agents/registry/registry';
import { object, parseJson, string } from '@baton/config/values/json';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { secretVariables } from '@baton/engine/run/withheld-variables';
import { readPackage, sweepOrphans } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { compareVersions } from './compare-versions.ts';
import { runNpm } from './npm.ts';
import {
  createRelease,
  type InstalledAgent,
  installedAgent,
  removeAgent,
  removeFolder,
  removeLeftovers,
  switchTo,
} from './releases.ts';
import { checkInterrupt, runProgram } from './run-program.ts';

/** An exact version or a tag such as `latest`: no range, address or folder. */
const VERSION = /^[0-9a-z][\w.+-]*$/i;
const VERSION_CHECK_MS = 60_000;
const OUTPUT_SHOWN = 500;
const SCRIPT_LINES = 10;

export type InstallStep =
  | { step: 'resolve' }
  | { step: 'download'; package: string; version: string; files: number }
  | { step: 'scripts'; packages: readonly string[] }
  | { step: 'check' };

type InstallRequest = {
  /** The name of a backend, with `@VERSION` or `@TAG` behind it for another release than the newest tested one. */
  name: string;
  /**
   * Permission to run install scripts; `yes` runs all of them. A function is called only if the agent does not start
   * without them.
   */
  allowScripts: 'yes' | 'no' | ((packages: readonly string[]) => Promise<boolean>);
  /** Aborting it ends npm and leaves everything as it was. */
  signal: AbortSignal;
  onStep?: ((step: InstallStep) => void) | undefined;
};

export type InstallResult = InstalledAgent & {
  /** The release that was there before. */
  before: string | undefined;
  /** The newest release, where it is newer than those that Baton is tested with and another one was chosen. */
  untested?: string | undefined;
  /** The packages whose install scripts were not run, with their versions. */
  skippedScripts: string[];
};

/** Installs a release of an agent from npm; does nothing if Baton has installed that release already. */
export async function installAgent(
  registry: Registry,
  request: InstallRequest,
): Promise<InstallResult> {
  const { agent, wanted } = parseName(registry, request.name);
  const before = installedAgent(agent.program);
  if (before && wanted === undefined)
    return { ...before, before: before.version, skippedScripts: [] };
  return install(registry, agent, wanted, request);
}

/** Installs the newest tested release of an agent that Baton has installed, or the newest if a newer one is installed. */
export async function updateAgent(
  registry: Registry,
  request: InstallRequest,
): Promise<InstallResult> {
  const { agent, wanted } = parseName(registry, request.name);
  const before = installedAgent(agent.program);
  if (!before) throw notInstalled(agent);
  return install(
    registry,
    agent,
    wanted ?? (isUntested(agent, before.version) ? 'latest' : undefined),
    request,
  );
}

/** Removes an agent that Baton has installed; returns its record. */
export function uninstallAgent(registry: Registry, name: string): InstalledAgent {
  const { agent, wanted } = parseName(registry, name);
  if (wanted !== undefined) {
    throw new BatonError('usage', `Only one release of ${agent.label} is installed at a time.`, {
      hint: `Use "baton backends remove ${agent.shortName}".`,
    });
  }
  const record = installedAgent(agent.program);
  if (!record || !removeAgent(agent.program)) throw notInstalled(agent);
  removeLeftovers();
  return record;
}

type NpmAgent = {
  label: string;
  shortName: string;
  /** The name of its program and folder; an agent that is a library has no program. */
  program: string;
  package: string;
  /** The newest release that Baton is tested with. */
  tested: string | undefined;
  isLibrary: boolean;
};

function parseName(
  registry: Registry,
  text: string,
): { agent: NpmAgent; wanted: string | undefined } {
  const [, name = text, wanted] = /^([^@]+)@(.*)$/.exec(text) ?? [];
  const agent = npmAgent(registry, registry.entry(name));
  if (wanted === undefined || VERSION.test(wanted)) return { agent, wanted };
  throw new BatonError('usage', `"${wanted}" is neither a version nor a tag.`, {
    hint: `Use an exact version, as in "${agent.shortName}@1.2.3", or a tag of npm, as in "${agent.shortName}@latest".`,
  });
}

function npmAgent(registry: Registry, entry: BackendEntry): NpmAgent {
  const { id, label, aliases = [], binary, npmPackage, install } = entry;
  const tested = entry.testedVersions?.newest;
  if (npmPackage && binary && 'library' in binary) {
    return {
      label,
      shortName: id,
      program: binary.library.id,
      package: npmPackage,
      tested,
      isLibrary: true,
    };
  }
  if (!npmPackage || !binary || !('name' in binary)) {
    throw new BatonError('usage', `Baton cannot install ${label}.`, {
      hint: `${install.replace(/[^.]$/, '$&.')} Baton can install ${installableAgents(registry).join(', ')}.`,
    });
  }
  const program = binary.name;
  const shortName = aliases.includes(program) ? program : id;
  return { label, shortName, program, package: npmPackage, tested, isLibrary: false };
}

/** The agents that npm has, as people type them. */
export function installableAgents(registry: Registry): string[] {
  const entries = registry.entries().filter(({ npmPackage }) => npmPackage !== undefined);
  return entries.map((entry) => npmAgent(registry, entry).shortName);
}

function notInstalled({ label, shortName }: NpmAgent): BatonError {
  return new BatonError('backend_not_found', `Baton has not installed ${label}.`, {
    hint: `Run "baton backends install ${shortName}". A program from elsewhere is updated and removed by the tool that installed it.`,
  });
}

async function install(
  registry: Registry,
  agent: NpmAgent,
  wanted: string | undefined,
  request: InstallRequest,
): Promise<InstallResult> {
  const { signal, onStep } = request;
  // First the npm of an installation that was killed, then what it wrote.
  await sweepOrphans();
  removeLeftovers();
  const env = await environment(registry);
  const before = installedAgent(agent.program);
  const folder = createRelease(agent.program);
  try {
    onStep?.({ step: 'resolve' });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const npm = { cwd: folder, env, signal };
    const { version, untested } = await chooseRelease(agent, wanted, npm);
    if (before?.version === version) {
      removeFolder(folder);
      return { ...before, before: version, untested, skippedScripts: [] };
    }
    const step = { step: 'download', package: agent.package, version } as const;
    let files = 0;
    onStep?.({ ...step, files });
    const onFetch = () => onStep?.({ ...step, files: ++files });
    const args = ['install', `${agent.package}@${version}`, '--save-exact', '--ignore-scripts'];
    await runNpm(args, { ...npm, onFetch });
    const lock = readLock(folder, agent, version);
    const scripts = await prepare(agent, { ...request, folder, env, scripts: lock.scripts });
    const record: InstalledAgent = {
      name: agent.program,
      package: agent.package,
      version,
      integrity: lock.integrity,
      installedAt: new Date().toISOString(),
      scripts: [...scripts],
    };
    switchTo(folder, record);
    const skippedScripts = lock.scripts.filter((each) => !scripts.includes(each));
    return { ...record, before: before?.version, untested, skippedScripts };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/**
 * The environment of npm, without the keys of agents and the secrets of Baton: neither npm nor the scripts that it runs
 * need them. If npm itself started this program, the configuration of the folder (`.npmrc`), such as another registry,
 * is left out too: agents are not installed from there.
 */
async function environment(
  registry: Registry,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { env } = process;
  const secrets = await secretVariables(registry.entries(), env);
  const isOfNpm = env.npm_command !== undefined || env.npm_execpath !== undefined;
  const stays = (name: string) =>
    !secrets.has(name) && !(isOfNpm && name.startsWith('npm_config_'));
  return Object.fromEntries(Object.entries(env).filter(([name]) => stays(name)));
}

/** Chooses the release that was asked for; otherwise the newest one that Baton is tested with, if the registry has it. */
async function chooseRelease(
  agent: NpmAgent,
  wanted: string | undefined,
  npm: Parameters<typeof runNpm>[1],
): Promise<{ version: string; untested?: string }> {
  const version = await resolveVersion(agent, wanted ?? 'latest', npm);
  if (wanted !== undefined || agent.tested === undefined || !isUntested(agent, version)) {
    return { version };
  }
  try {
    return { version: await resolveVersion(agent, agent.tested, npm), untested: version };
  } catch (error) {
    // A mirror may not have every release.
    if (BatonError.is(error) && error.code === 'install_failed') return { version };
    throw error;
  }
}

function isUntested({ tested }: NpmAgent, version: string): boolean {
  return tested !== undefined && compareVersions(version, tested) > 0;
}

async function resolveVersion(
  agent: NpmAgent,
  wanted: string,
  npm: Parameters<typeof runNpm>[1],
): Promise<string> {
  const printed = await runNpm(['view', `${agent.package}@${wanted}`, 'name', 'version'], npm);
  const version = string(object(printed).version);
  if (version && VERSION.test(version)) return version;
  throw new BatonError('install_failed', `npm has no release "${wanted}" of ${agent.package}.`, {
    hint: `Omit the version for the newest tested release, or see "npm view ${agent.package} versions".`,
  });
}

/** The checksum of the agent, and which packages have install scripts, as npm wrote it into the lockfile. */
function readLock(
  folder: string,
  agent: NpmAgent,
  version: string,
): { integrity: string; scripts: string[] } {
  const lock = object(parseJson(readFileSync(join(folder, 'package-lock.json'), 'utf8')));
  const packages = Object.entries(object(lock.packages)).map(
    ([path, facts]) => [path, object(facts)] as const,
  );
  const own = packages.find(([path]) => path === `node_modules/${agent.package}`)?.[1];
  const integrity = string(own?.integrity);
  if (own?.version !== version || !integrity) {
    throw new BatonError('install_failed', `The registry names no checksum of ${agent.package}.`, {
      hint: 'Nothing was installed. Use another registry ("npm config get registry").',
    });
  }
  const scripts = packages
    .filter(([path, facts]) => facts.hasInstallScript === true && existsSync(join(folder, path)))
    .map(([path, facts]) => `${path.replace(/^.*node_modules\//, '')}@${facts.version}`);
  return { integrity, scripts };
}

type Preparation = InstallRequest & {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The packages that have install scripts. */
  scripts: readonly string[];
};

/**
 * Checks that the agent starts, and runs install scripts if they are allowed; returns the packages whose scripts ran.
 */
async function prepare(agent: NpmAgent, preparation: Preparation): Promise<readonly string[]> {
  const { allowScripts, scripts, onStep } = preparation;
  onStep?.({ step: 'check' });
  const isAllowed = allowScripts === 'yes' && scripts.length > 0;
  const problem = isAllowed ? undefined : await startProblem(agent, preparation);
  if (!isAllowed && problem === undefined) return [];
  if (scripts.length === 0) throw cannotStart(agent, problem);
  const mayRun = typeof allowScripts === 'function' ? await allowScripts(scripts) : isAllowed;
  checkInterrupt(preparation.signal);
  if (!mayRun) throw needsScripts(agent, scripts);
  onStep?.({ step: 'scripts', packages: scripts });
  const output = await runScripts(preparation);
  onStep?.({ step: 'check' });
  const remaining = await startProblem(agent, preparation);
  if (remaining !== undefined) throw cannotStart(agent, remaining + scriptWords(output));
  return scripts;
}

/** Runs the install scripts; returns their output. */
async function runScripts({ folder, env, signal, scripts }: Preparation): Promise<string[]> {
  const names = scripts.map((each) => each.replace(/(?!^)@[^@]*$/, ''));
  const path = join(folder, 'package.json');
  // Releases of npm that run no script by default take the permission from here.
  const allowed = Object.fromEntries(names.map((name) => [name, true]));
  const project = object(parseJson(readFileSync(path, 'utf8')));
  writeFileSync(path, JSON.stringify({ ...project, allowScripts: allowed }));
  const args = ['rebuild', ...names, '--ignore-scripts=false', '--foreground-scripts'];
  const output: string[] = [];
  const onOutput = (line: string) => void output.push(line);
  try {
    await runNpm(args, { cwd: folder, env, signal, onOutput });
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    const { code, message, hint } = error;
    throw new BatonError(code, message + scriptWords(output), { hint, cause: error });
  }
  return output;
}

/** The end of what install scripts printed: it may say what is missing. */
function scriptWords(output: readonly string[]): string {
  // npm prints a header with the name and the command of each script.
  const lines = output.filter((line) => line.trim() !== '' && !line.startsWith('> '));
  if (lines.length === 0) return '';
  const last = lines.slice(-SCRIPT_LINES).map((line) => line.slice(0, OUTPUT_SHOWN));
  return `\nThe install scripts printed:\n${last.join('\n')}`;
}

/** Returns the reason why the agent does not start, in its own words; undefined if it starts. */
async function startProblem(
  { program, package: name, isLibrary }: NpmAgent,
  { folder, env, signal }: Preparation,
): Promise<string | undefined> {
  if (isLibrary)
    return readPackage(join(folder, 'node_modules', name))
      ? undefined
      : 'The package cannot be imported.';
  const file = join(folder, 'node_modules/.bin', program);
  if (!existsSync(file)) return `The package has no program "${program}".`;
  const { code, stdout, stderr } = await runProgram({
    file,
    args: ['--version'],
    cwd: folder,
    env,
    signal,
    timeoutMs: VERSION_CHECK_MS,
  });
  if (code === 0) return undefined;
  const words = (stderr.trim() || stdout.trim()).slice(0, OUTPUT_SHOWN);
  return words || `It exited with code ${code ?? 'none'}.`;
}

function needsScripts({ label, shortName }: NpmAgent, scripts: readonly string[]): BatonError {
  const message = `${label} does not start without the install scripts of ${scripts.join(', ')}, which were not run.`;
  return new BatonError('install_failed', message, {
    hint: `Nothing was installed. To let them run, use "baton backends install ${shortName} --allow-scripts".`,
  });
}

function cannotStart({ label }: NpmAgent, problem: string | undefined): BatonError {
  return new BatonError('install_failed', `${label} does not start on this machine: ${problem}`, {
    hint: 'Nothing was changed. Try another release, as in NAME@VERSION.',
  });
}
