import { BatonError, type McpTaskPacket } from '@baton/protocol';
import { canonicalName } from './aliases.ts';

/** The backend that is used when nobody names one. */
export const DEFAULT_BACKEND = 'claude-cli';

/** The backend that a task packet is for: its execution plan, its prompt, the operator's setting, the default. */
export function selectBackend(packet: McpTaskPacket, operatorSetting?: string): string {
  const wanted =
    packet.execution?.backend ?? packet.prompt?.backend ?? operatorSetting ?? DEFAULT_BACKEND;
  return canonicalName(wanted);
}

/** What a runner says of a task for a backend that it does not have. */
export function unsupportedBackendMessage(name: string): string {
  return `Runner does not support execution backend: ${name}`;
}

/** What a runner found out about its surroundings before it registers its backends. */
export type RunnerFacts = {
  openclawUrl?: string | undefined;
  openclawAnswers: boolean;
  piModelsReadable: boolean;
  allowDirectCli: boolean;
  /** The backend of tasks that name none, if the operator chose one. */
  operatorSetting?: string | undefined;
};

/** The backends that a runner registers at its start, in the order in which they are asked. */
export function registeredBackends(facts: RunnerFacts): string[] {
  const wanted = facts.operatorSetting && canonicalName(facts.operatorSetting);
  const openclaw = facts.openclawUrl !== undefined && facts.openclawAnswers;
  if (wanted === 'pi' && !facts.piModelsReadable) {
    throw new BatonError(
      'backend_not_found',
      'The backend pi was asked for, but its models.json is not readable.',
      {
        hint: 'Put a models.json into the folder that FLUX_PI_AGENT_DIR names.',
      },
    );
  }
  return [
    ...(openclaw ? ['openclaw'] : []),
    ...(facts.piModelsReadable ? ['pi'] : []),
    ...(!openclaw || facts.allowDirectCli ? ['claude-cli'] : []),
  ];
}

/** The backends whose tasks a registered backend takes. */
export function handledBy(registered: string): readonly string[] {
  return registered === 'openclaw' ? ['openclaw', 'claude-cli', 'codex-cli'] : [registered];
}
