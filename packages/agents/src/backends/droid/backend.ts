import type { Adapter } from '@baton/engine/definition/backend-entry';
import { flag } from '@baton/engine/kit/prompt-argument';
import { acpFormat } from '../../dialects/acp/dialect.ts';
import { checkOptions, PROVIDER_OPTIONS } from './args.ts';
import { live, print } from './drivers.ts';
import { droidCredentials } from './droid-home.ts';
import { droidEntry } from './index.ts';
import { sessionFormat } from './session-dialect.ts';
import { droidFormats, exitCodeIn, LABEL, NOISE, WORDS } from './stream-json.ts';

/** Droid as an agent of the Agent Client Protocol, which recordings may be in. */
const ACP_AGENT = {
  label: LABEL,
  agentName: '@factory/cli',
  noise: NOISE,
  words: WORDS,
  exitCode: exitCodeIn,
};

/** The formats of Droid's output that Baton reads. */
export const droidDialects = [sessionFormat, acpFormat(ACP_AGENT), ...droidFormats];

/** Adapter for Droid, loaded on first use. */
export const droidAdapter: Adapter = {
  drivers: [live, print],
  dialects: droidDialects,
  providerOptions: PROVIDER_OPTIONS,
  credentials: droidCredentials,
  check: checkOptions,
  interactiveArgs: ({ permissionMode, resume, fork, rawArgs = [], prompt }) => [
    ...(permissionMode === 'allow-all' ? ['--auto', 'high'] : []),
    ...flag(fork ? '--fork' : '--resume', resume),
    ...rawArgs,
    ...(prompt === undefined ? [] : [prompt]),
  ],
  interactiveLacks: [
    'systemPrompt',
    'model',
    'maxTurns',
    'tools.allowed',
    'tools.disallowed',
    'settings',
    'mcpConfig',
    'providerOptions',
    'sessionId',
    'outputSchema',
    'budgetUsd',
    'images',
  ],
};

/** All that is particular to Droid. */
export const droidSpec = { ...droidEntry, ...droidAdapter };
