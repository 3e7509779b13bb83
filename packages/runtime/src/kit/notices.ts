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
