import type { Adapter } from '@baton/engine/definition/backend-entry';
import { DEFAULT_STOP } from '@baton/engine/definition/driver';
import { childProgram } from '@baton/engine/kit/child-program';
import { libraryDriver } from '@baton/engine/kit/library-host';
import { piFormats } from '../../dialects/pi-json/reader.ts';
import { piEntry } from './index.ts';
import { modelsProblem, piCredentials } from './pi-home.ts';
import { checkOptions, PROVIDER_OPTIONS } from './pi-options.ts';

const { label } = piEntry;
const HERE = { dirname: import.meta.dirname, filename: import.meta.filename };

/** The library of Pi, in a process of its own. */
const live = libraryDriver({
  label,
  transport: 'live',
  program: () => childProgram(HERE, 'pi-host', label),
  canSteer: true,
  stop: { ...DEFAULT_STOP, closeMs: 1000 },
  // The host never loads settings of a folder, trusted or not.
  canWithholdSettings: true,
  check: ({ options }) => {
    const problem = modelsProblem(options.env);
    if (problem) throw problem;
  },
});

/** Adapter for Pi, loaded on first use. */
export const piAdapter: Adapter = {
  drivers: [live],
  dialects: piFormats,
  providerOptions: PROVIDER_OPTIONS,
  credentials: piCredentials,
  problems: ({ env }) => {
    const problem = modelsProblem(env);
    return problem ? [problem.toJSON()] : [];
  },
  check: checkOptions,
};
