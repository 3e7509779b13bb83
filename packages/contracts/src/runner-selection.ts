import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import { BatonError, type ErrorInfo, type McpTaskPacket } from '@baton/protocol/values';
import { normalizeExecutionBackend } from './runner-backend.ts';

/** The backend that a task packet is for: its execution plan, its prompt, the operator's setting, the default. */
export function selectBackend(packet: McpTaskPacket, operatorSetting?: string): string {
  const wanted =
    packet.execution?.backend ?? packet.prompt?.backend ?? operatorSetting ?? DEFAULT_BACKEND;
  return normalizeExecutionBackend(wanted);
}

/** Returns a runner's error message for a task whose backend it does not have. */
export function unsupportedBackendMessage(name: string): string {
  return `Runner does not support execution backend: ${name}`;
}

/** The backends whose tasks a gateway takes. */
const BEHIND_OPENCLAW: readonly string[] = ['openclaw', 'claude-cli', 'codex-cli'];

/** Facts about a runner's environment, collected before it registers its backends. */
export type RunnerFacts = {
  openclawUrl?: string | undefined;
  openclawAnswers: boolean;
  piModelsReadable: boolean;
  allowDirectCli: boolean;
  /** The backend of tasks that name none, if the operator chose one; no other is registered then. */
  operatorSetting?: string | undefined;
  /** The other backends whose agents are installed; Claude Code by default. */
  installed?: readonly string[] | undefined;
  /** Problems that prevent the use of a backend, by its name. */
  problems?: Readonly<Record<string, ErrorInfo>> | undefined;
};

/** The backends that a runner registers at its start, in the order in which they are asked. Throws if there is none. */
export function registeredBackends(facts: RunnerFacts): string[] {
  const { installed = [DEFAULT_BACKEND], allowDirectCli, piModelsReadable, problems = {} } = facts;
  const openclaw = facts.openclawUrl !== undefined && facts.openclawAnswers;
  const isBehind = (id: string) => BEHIND_OPENCLAW.includes(id);
  const possible = [
    // Before the gateway, so that a direct backend gets the tasks for its own name.
    ...(!openclaw || allowDirectCli ? installed.filter(isBehind) : []),
    ...(openclaw ? ['openclaw'] : []),
    ...(piModelsReadable ? ['pi'] : []),
    ...installed.filter((id) => !isBehind(id)),
  ];
  const wanted = facts.operatorSetting && normalizeExecutionBackend(facts.operatorSetting);
  if (!wanted) {
    if (possible.length > 0) return possible;
    throw noBackend('No execution backend can be registered.', Object.values(problems)[0]);
  }
  const registered = possible.filter((id) => handledBy(id).includes(wanted));
  if (registered.length > 0) return registered;
  const message = `The backend ${wanted} was requested, but it cannot be registered.`;
  throw noBackend(message, problems[wanted] ?? missing(wanted));
}

/** The backends whose tasks a registered backend takes. */
export function handledBy(registered: string): readonly string[] {
  return registered === 'openclaw' ? BEHIND_OPENCLAW : [registered];
}

function noBackend(message: string, problem: ErrorInfo | undefined): BatonError {
  const hint = problem?.hint ?? 'Install an agent: "baton backends" lists them.';
  return new BatonError('backend_not_found', problem ? `${message} ${problem.message}` : message, {
    hint,
  });
}

/** Returns the error for a missing backend if nothing more is known. */
function missing(wanted: string): ErrorInfo | undefined {
  if (wanted === 'openclaw') {
    return new BatonError('backend_not_found', 'The OpenClaw gateway does not answer.', {
      hint: 'Set OPENCLAW_GATEWAY_URL to the address of a running gateway.',
    }).toJSON();
  }
  if (wanted !== 'pi') return undefined;
  return new BatonError('config_invalid', 'Its models.json is not readable.', {
    hint: 'Put a models.json in the folder set by FLUX_PI_AGENT_DIR.',
  }).toJSON();
}
