import type { Adapter } from '@baton/engine/definition/backend-entry';
import type { DialectEntry } from '@baton/engine/definition/dialect';
import type { Driver, ResolvedOptions } from '@baton/engine/definition/driver';
import { readPrices } from '@baton/engine/prices/estimate-cost';
import { BatonError } from '@baton/protocol/values';
import { LABEL } from '../../dialects/codex-jsonl/errors.ts';
import { codexFormats } from '../../dialects/codex-jsonl/formats.ts';
import { codexCatalog } from './app-server-client.ts';
import { AppServerDialect, isAppServerLine } from './app-server-dialect.ts';
import { imagePaths, terminalArgs } from './args.ts';
import { codexHomeProblems, codexTrusts } from './codex-home.ts';
import { codexCredentials } from './credentials.ts';
import { budgetProblem, live, print } from './drivers.ts';
import { codexEntry } from './index.ts';
import { codexServers } from './mcp-servers.ts';

/** The formats of Codex's output that Baton reads: the protocol of the app server, and everything that Codex prints. */
export const codexDialects: readonly DialectEntry[] = [
  { transport: 'live', recognises: isAppServerLine, create: (out) => new AppServerDialect(out) },
  ...codexFormats,
];

/** Adapter for Codex, loaded on first use. */
export const codexAdapter: Adapter = {
  drivers: [live, print],
  dialects: codexDialects,
  credentials: codexCredentials,
  trusts: codexTrusts,
  catalog: codexCatalog,
  problems: ({ env }) => codexHomeProblems(env),
  check: checkOptions,
  interactiveArgs: terminalArgs,
  // Baton could only enforce them if it read the output.
  interactiveLacks: ['outputSchema', 'budgetUsd', 'maxTurns'],
};

/** All that is particular to Codex. */
export const codexSpec = { ...codexEntry, ...codexAdapter };

/** Codex as the gateway calls it: its command line is the one of the print transport in mode `allow-all`. */
export const gatewayDriver: Driver = { ...print, stop: { ...print.stop, signal: 'SIGTERM' } };

function checkOptions(options: ResolvedOptions): void {
  const { providerOptions = {}, images = [], cwd } = options;
  readPrices(providerOptions.prices);
  // The app server names its model before the first prompt.
  const isPrint = options.transport === 'print' || options.mode === 'print';
  const isNamedLater = options.model === undefined && !isPrint;
  const problem = isNamedLater ? undefined : budgetProblem(options, options.model);
  if (problem) throw problem;
  if (typeof options.settings === 'string') {
    throw new BatonError('capability_missing', `${LABEL} does not support a settings file.`, {
      hint: 'Pass the settings as values, or set CODEX_HOME to a folder with a config.toml.',
    });
  }
  codexServers(options);
  if (options.transport === 'print') imagePaths(images, cwd);
}
