import type { Adapter } from '@baton/engine/definition/backend-entry';
import { flag } from '@baton/engine/kit/prompt-argument';
import { acpFormat } from '../../dialects/acp/dialect.ts';
import { geminiFormats } from '../../dialects/gemini-stream-json/reader.ts';
import { checkOptions, GEMINI, live, print } from './drivers.ts';
import { geminiCredentials, geminiProblems, geminiTrusts } from './gemini-home.ts';
import { geminiEntry } from './index.ts';

/** The formats of Gemini CLI's output that Baton reads. */
export const geminiDialects = [acpFormat(GEMINI), ...geminiFormats];

/** Adapter for Gemini CLI, loaded on first use. */
export const geminiAdapter: Adapter = {
  drivers: [live, print],
  dialects: geminiDialects,
  credentials: geminiCredentials,
  trusts: geminiTrusts,
  problems: geminiProblems,
  check: checkOptions,
  interactiveArgs: ({ model, permissionMode, rawArgs = [], prompt }) => [
    ...flag('--model', model),
    ...(permissionMode === 'allow-all' ? ['--approval-mode', 'yolo'] : []),
    ...rawArgs,
    ...flag('--prompt-interactive', prompt),
  ],
  interactiveLacks: ['systemPrompt', 'maxTurns', 'mcpConfig', 'resume', 'outputSchema', 'images'],
};

/** All that is particular to Gemini CLI. */
export const geminiSpec = { ...geminiEntry, ...geminiAdapter };
