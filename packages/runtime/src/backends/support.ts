import type { OptionSupport, PermissionMode } from '@baton/protocol';
import type { EventDraft } from '../dialect.ts';

/** The agent has the option. */
export const mapped = (how: string): OptionSupport => ({ support: 'mapped', how });

/** Baton carries the option out in the agent's place. */
export const emulated = (how: string): OptionSupport => ({ support: 'emulated', how });

/** The option cannot be had, and why. */
export const unsupported = (how: string): OptionSupport => ({ support: 'unsupported', how });

/** Says how a permission mode is kept by a command that cannot be answered while it works. */
export function cannotAsk(command: string, mode: PermissionMode, instead: string): EventDraft {
  const message = `${command} cannot ask: in mode "${mode}" ${instead}.`;
  return { type: 'notice', level: 'warning', code: 'option_emulated', message };
}
