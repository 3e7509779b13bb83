import type { PermissionMode } from '@baton/protocol/values';
import type { DraftOf } from '../definition/dialect.ts';

/** A warning from the agent or about its behaviour. */
export function agentWarning(
  message: string,
  more: Pick<DraftOf<'notice'>, 'data' | 'parentId' | 'turnId'> = {},
): DraftOf<'notice'> {
  return { type: 'notice', level: 'warning', code: 'agent_warning', message, ...more };
}

/** The notice that a command cannot ask, and what it does instead in this permission mode. */
export function cannotAsk(
  command: string,
  mode: PermissionMode,
  instead: string,
): DraftOf<'notice'> {
  const message = `${command} cannot ask: in mode "${mode}", ${instead}.`;
  return { type: 'notice', level: 'warning', code: 'option_emulated', message };
}

/** The notice that calls ended because of another one that was denied: some agents cancel all calls of a step. */
export function cancelledTogether(label: string, tools: readonly string[]): DraftOf<'notice'> {
  return agentWarning(
    `${label} cancelled ${tools.join(', ')} because another call of the same step was denied.`,
  );
}

/** Words for a model whose calls were cancelled so. */
export const MAY_REPEAT =
  'The other calls of the same step were cancelled with it; repeat those that are still needed.';
