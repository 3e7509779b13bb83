import type { OptionSupport } from '@baton/protocol';

/** The agent has the option. */
export const mapped = (how: string): OptionSupport => ({ support: 'mapped', how });

/** Baton carries the option out in the agent's place. */
export const emulated = (how: string): OptionSupport => ({ support: 'emulated', how });

/** The option cannot be had, and why. */
export const unsupported = (how: string): OptionSupport => ({ support: 'unsupported', how });
