import { BatonError } from '@baton/protocol';
import { type BackendSpec, defineBackend } from '../../define-backend.ts';
import type { Driver, ResolvedOptions } from '../../driver.ts';
import { nativeCodex } from '../../process/index.ts';
import { codexCapabilities } from './capabilities.ts';
import { codexHomeProblems } from './codex-home.ts';
import { codexCredentials } from './credentials.ts';
import { live, print } from './drivers.ts';
import { imagePaths } from './images.ts';
import { codexIntroduction } from './introduction.ts';
import { readServers } from './mcp-servers.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';
import { terminalArgs } from './terminal-args.ts';
import { codexTrusts } from './trust.ts';
import { readPrices } from './usage.ts';

/** All that is particular to Codex. */
export const codexSpec: BackendSpec = {
  id: ID,
  label: LABEL,
  install: 'npm install -g @openai/codex',
  capabilities: codexCapabilities,
  settingsPaths: SETTINGS_PATHS,
  providerOptions: {
    // What is wrong with prices is said by whoever reads them.
    prices: { schema: {}, fits: (value) => readPrices(value) !== undefined, what: 'prices' },
  },
  drivers: [live, print],
  binary: { name: 'codex', envVar: 'BATON_CODEX_BIN', nativeOf: nativeCodex },
  credentials: codexCredentials,
  trusts: codexTrusts,
  introduction: codexIntroduction,
  problems: ({ env }) => codexHomeProblems(env),
  check: checkOptions,
  interactiveArgs: terminalArgs,
};

/** The adapter to Codex. */
export const codexBackend = defineBackend(codexSpec);

/** Codex as the gateway calls it: its command line is the one of the print transport in mode `allow-all`. */
export const gatewayDriver: Driver = { ...print, stop: { ...print.stop, signal: 'SIGTERM' } };

function checkOptions(options: ResolvedOptions): void {
  const { providerOptions = {}, images = [], cwd } = options;
  if (options.budgetUsd !== undefined && !readPrices(providerOptions.prices)) {
    throw new BatonError('capability_missing', `${LABEL} reports tokens, not money.`, {
      hint: 'Give providerOptions.prices with the budget, or leave budgetUsd away.',
    });
  }
  if (typeof options.settings === 'string') {
    throw new BatonError('capability_missing', `${LABEL} takes no settings file.`, {
      hint: 'Give the settings as values, or point CODEX_HOME at a folder with a config.toml.',
    });
  }
  readPrices(providerOptions.prices);
  readServers(options);
  if (options.transport === 'print') imagePaths(images, cwd);
}
