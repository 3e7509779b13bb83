import { string } from '@baton/config/values/json';
import type { Adapter } from '@baton/engine/definition/backend-entry';
import { flag } from '@baton/engine/kit/prompt-argument';
import { acpFormat } from '../../dialects/acp/dialect.ts';
import { cursorCredentials } from './cursor-home.ts';
import { CURSOR, live, PROVIDER_OPTIONS, print } from './drivers.ts';
import { cursorFormats } from './stream-json.ts';

/** Adapter for Cursor's agent, loaded on first use. */
export const cursorAdapter: Adapter = {
  drivers: [live, print],
  dialects: [acpFormat(CURSOR), ...cursorFormats],
  providerOptions: PROVIDER_OPTIONS,
  credentials: cursorCredentials,
  interactiveArgs: ({ model, resume, providerOptions, rawArgs = [], prompt }) => [
    '--force',
    ...flag('--model', model),
    ...flag('--mode', string(providerOptions?.mode)),
    ...flag('--resume', resume),
    ...rawArgs,
    ...(prompt === undefined ? [] : [prompt]),
  ],
  interactiveLacks: [
    'systemPrompt',
    'maxTurns',
    'mcpConfig',
    'outputSchema',
    'budgetUsd',
    'images',
  ],
};
