import { BatonError } from '@baton/protocol/values';
import type { Adapter } from '../../definition/backend-entry.ts';
import { defineBackend } from '../../definition/define-backend.ts';
import type { DialectEntry } from '../../definition/dialect.ts';
import type { Driver, ResolvedOptions } from '../../definition/driver.ts';
import { LABEL } from '../../dialects/codex-jsonl/errors.ts';
import { codexFormats } from '../../dialects/codex-jsonl/formats.ts';
import { defaultPrices, readPrices } from '../../prices/estimate-cost.ts';
import { codexCatalog } from './app-server-client.ts';
import { AppServerDialect, isAppServerLine } from './app-server-dialect.ts';
import { imagePaths, terminalArgs } from './args.ts';
import { codexHomeProblems, codexTrusts } from './codex-home.ts';
import { codexCredentials } from './credentials.ts';
import { live, print } from './drivers.ts';
import { codexEntry } from './index.ts';
import { codexServers } from './mcp-servers.ts';

/** The formats of Codex's output that Baton reads: the protocol of the app server, and everything that Codex prints. */
export const codexDialects: readonly DialectEntry[] = [
  { transport: 'live', recognises: isAppServerLine, create: (out) => new AppServerDialect(out) },
  ...codexFormats,
];

/** How Baton talks to Codex. */
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

export const codexBackend = defineBackend(codexSpec);

/** Codex as the gateway calls it: its command line is the one of the print transport in mode `allow-all`. */
export const gatewayDriver: Driver = { ...print, stop: { ...print.stop, signal: 'SIGTERM' } };

function checkOptions(options: ResolvedOptions): void {
  const { providerOptions = {}, images = [], cwd } = options;
  const prices = readPrices(providerOptions.prices) ?? defaultPrices(options.model);
  if (options.budgetUsd !== undefined && !prices) {
    const what =
      options.model === undefined ? 'no model is named' : `no price of ${options.model} is known`;
    const message = `${LABEL} reports tokens but not cost, and ${what}.`;
    throw new BatonError('capability_missing', message, {
      hint: 'Set providerOptions.prices, name a model with a known price, or omit budgetUsd.',
    });
  }
  if (typeof options.settings === 'string') {
    throw new BatonError('capability_missing', `${LABEL} does not support a settings file.`, {
      hint: 'Pass the settings as values, or set CODEX_HOME to a folder with a config.toml.',
    });
  }
  codexServers(options);
  if (options.transport === 'print') imagePaths(images, cwd);
}
