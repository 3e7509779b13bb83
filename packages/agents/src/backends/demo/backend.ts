import type { Adapter } from '@baton/engine/definition/backend-entry';
import { DEFAULT_STOP, type Driver, type ResolvedOptions } from '@baton/engine/definition/driver';
import { childProgram } from '@baton/engine/kit/child-program';
import { demoDialect, demoDialects } from './dialect.ts';

/** Milliseconds between two words, so that a person can read along. */
const PACE = 30;
const HERE = { dirname: import.meta.dirname, filename: import.meta.filename };
const PACES = { type: 'number', minimum: 0 };

const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  stop: DEFAULT_STOP,
  canWithholdSettings: true,
  launch: () => ({ args: childProgram(HERE, 'demo-agent', 'The demo agent'), stdin: 'open' }),
  dialect: (out, { options, resume, fork }) =>
    demoDialect(out, {
      type: 'open',
      permissionMode: options.permissionMode,
      pace: paceOf(options),
      systemPrompt: options.systemPrompt,
      resume,
      fork,
      sessionId: options.sessionId,
      loadsFolderSettings: options.trust.trusted,
    }),
};

/** Adapter for the built-in agent, which needs no key and no network. */
export const demoAdapter: Adapter = {
  providerOptions: { pace: { schema: PACES, fits: isPace, what: 'a number of milliseconds' } },
  drivers: [live],
  dialects: demoDialects,
  credentials: () => ({ credentials: 'not_needed' }),
};

function paceOf({ providerOptions, env }: ResolvedOptions): number {
  const pace = Number(providerOptions?.pace ?? env.BATON_DEMO_PACE ?? PACE);
  return isPace(pace) ? pace : PACE;
}

function isPace(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
