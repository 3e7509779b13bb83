import { join } from 'node:path';
import { defineBackend } from '../../define-backend.ts';
import { DEFAULT_STOP, type Driver, type ResolvedOptions } from '../../driver.ts';
import { demoCapabilities } from './capabilities.ts';
import { demoDialect } from './dialect.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';

/** Milliseconds between two words, so that a person can read along. */
const PACE = 30;
const PACES = { type: 'number', minimum: 0 };
const PROGRAM = import.meta.filename.endsWith('.ts') ? 'demo-agent.ts' : 'demo-agent.js';

const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  stop: DEFAULT_STOP,
  canWithholdSettings: true,
  launch: () => ({ args: [join(import.meta.dirname, PROGRAM)], stdin: 'open' }),
  dialect: (out, { options, resume, fork }) =>
    demoDialect(out, {
      type: 'open',
      permissionMode: options.permissionMode,
      pace: paceOf(options),
      resume,
      fork,
      sessionId: options.sessionId,
      loadsFolderSettings: options.trust.trusted,
    }),
};

/** The built-in agent that needs no key and no network, and says so. */
export const demoBackend = defineBackend({
  id: ID,
  label: LABEL,
  install: 'The demo agent is part of Baton.',
  capabilities: demoCapabilities,
  settingsPaths: SETTINGS_PATHS,
  providerOptions: { pace: { schema: PACES, fits: isPace, what: 'a number of milliseconds' } },
  drivers: [live],
  binary: { command: process.execPath, version: '1' },
  credentials: () => ({ credentials: 'not_needed' }),
});

function paceOf({ providerOptions, env }: ResolvedOptions): number {
  const pace = Number(providerOptions?.pace ?? env.BATON_DEMO_PACE ?? PACE);
  return isPace(pace) ? pace : PACE;
}

function isPace(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
