import type { Baton } from '@baton/agents/registry/baton';
import { defaultBaton } from '@baton/agents/registry/default-baton';
import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import { loadSettings, type Settings } from '@baton/config/settings';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import type { ErrorInfo, Probe } from '@baton/protocol/values';
import { claudeForRunner } from './contract-backends.ts';
import { executionBackends } from './execution-backends.ts';
import { type RunnerExecutionBackend, runnerBackend } from './runner-backend.ts';
import { handledBy, registeredBackends } from './runner-selection.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type RegisterOptions = {
  /** The list that gets them; `executionBackends` by default. One of the same id is replaced. */
  into?: RunnerExecutionBackend[];
  /** Options of every task, such as the folder to work in. */
  defaults?: Partial<RunInput>;
  /** The folder whose settings count; the current one by default. Agents are looked for in the folder of `defaults`. */
  cwd?: string;
};

/** Arguments for `executeTask`. */
export type Registered = {
  backends: RunnerExecutionBackend[];
  /** The backend of tasks that name none, if the operator chose one. */
  operatorSetting?: string;
};

/**
 * Registers the execution backends of a runner at its start, by the table of registration: it probes the agents of this
 * machine in the given environment. Throws if there is none, or if the one that the operator chose cannot be used.
 */
export async function registerBackends(
  env: Environment = process.env,
  { into = executionBackends, defaults = {}, cwd }: RegisterOptions = {},
): Promise<Registered> {
  const settings = loadSettings({ program: 'runner', env, ...(cwd ? { cwd } : {}) });
  const operatorSetting = settings.get('backend');
  const openclawUrl = settings.get('openclawUrl');
  const baton = (await defaultBaton()).withSettings(settings);
  const probes = await probeAll(baton, settings, env, {
    hasGateway: openclawUrl !== undefined,
    cwd: defaults.cwd,
  });
  const problems = problemsOf(probes);
  const isUsable = (id: string) => probes.has(id) && problems[id] === undefined;
  const ids = registeredBackends({
    openclawUrl,
    openclawAnswers: isUsable('openclaw'),
    piModelsReadable: isUsable('pi'),
    allowDirectCli: settings.get('allowDirectCli') ?? false,
    operatorSetting,
    installed: [...probes].flatMap(([id, { installed }]) =>
      installed && id !== 'openclaw' && id !== 'pi' ? [id] : [],
    ),
    problems,
  });
  const views = await Promise.all(
    ids.map(async (id) =>
      runnerBackend(await backendOf(baton, id, settings, env), {
        handles: handledBy(id),
        defaults: { ...(env === process.env ? {} : { env: known(env) }), ...defaults },
      }),
    ),
  );
  const others = into.filter((each) => !views.some(({ id }) => id === each.id));
  into.splice(0, into.length, ...others, ...views);
  return { backends: into, ...(operatorSetting === undefined ? {} : { operatorSetting }) };
}

/** Probes every agent but the demo in the folder of the tasks; the gateway only where it has an address. */
async function probeAll(
  baton: Baton,
  settings: Settings,
  env: Environment,
  { hasGateway, cwd }: { hasGateway: boolean; cwd: string | undefined },
): Promise<Map<string, Probe>> {
  const { registry } = baton;
  const ids = registry
    .entries()
    .filter(({ id, isDemo }) => !isDemo && (id !== 'openclaw' || hasGateway))
    .map(({ id }) => id);
  const wanted = settings.get('backend');
  const named =
    wanted === undefined ? undefined : registry.find(registry.canonicalName(wanted))?.id;
  const all = [...new Set([...ids, ...(named === undefined ? [] : [named])])];
  const probes = await Promise.all(
    all.map(async (id) => {
      const backend = await backendOf(baton, id, settings, env);
      return [
        id,
        await backend.probe({ env: known(env), ...(cwd === undefined ? {} : { cwd }) }),
      ] as const;
    }),
  );
  return new Map(probes);
}

async function backendOf(
  baton: Baton,
  id: string,
  settings: Settings,
  env: Environment,
): Promise<Backend> {
  if (id !== DEFAULT_BACKEND) return baton.load(baton.backend(id));
  // The backend reads the variable of this process itself, and names it in errors.
  const isOwn = env === process.env && settings.origin('binaries') === 'CLAUDE_BIN';
  const given = Object.entries(settings.get('binaries') ?? {});
  const path = given.find(([name]) => baton.registry.canonicalName(name) === id)?.[1];
  return claudeForRunner(isOwn ? undefined : path);
}

/**
 * Returns the problem that prevents the use of each agent. Missing credentials are none: the provider's variables may
 * still supply them.
 */
function problemsOf(probes: ReadonlyMap<string, Probe>): Record<string, ErrorInfo> {
  return Object.fromEntries(
    [...probes].flatMap(([id, { problems }]) => {
      const problem = problems.find(({ code }) => code !== 'auth_missing');
      return problem ? [[id, problem]] : [];
    }),
  );
}

function known(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
