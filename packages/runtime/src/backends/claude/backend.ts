import { BatonError } from '@baton/protocol';
import { type BackendSpec, defineBackend } from '../../define-backend.ts';
import type { ResolvedOptions } from '../../driver.ts';
import type { BinarySearch } from '../../process/index.ts';
import { terminalArgs } from './args.ts';
import { claudeCapabilities } from './capabilities.ts';
import { plainDriver } from './contract-drivers.ts';
import { claudeTrusts, findCredentials } from './credentials.ts';
import { argsInput, live, print } from './drivers.ts';
import { folderCommands } from './folder-commands.ts';
import { claudeIntroduction } from './introduction.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';
import { PROVIDER_OPTIONS } from './provider-options.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How the program is found. */
export const CLAUDE_BINARY: BinarySearch = { name: 'claude', envVar: 'BATON_CLAUDE_BIN' };

/** All that is particular to Claude Code. */
export const claudeSpec: BackendSpec = {
  id: ID,
  label: LABEL,
  install: 'npm install -g @anthropic-ai/claude-code',
  capabilities: claudeCapabilities,
  settingsPaths: SETTINGS_PATHS,
  providerOptions: PROVIDER_OPTIONS,
  drivers: [live, plainDriver, print],
  binary: CLAUDE_BINARY,
  credentials: findCredentials,
  trusts: claudeTrusts,
  introduction: claudeIntroduction,
  folderCommands,
  check(options) {
    checkRoot(options);
    if (options.sessionId !== undefined && !UUID.test(options.sessionId)) {
      throw new BatonError('usage', `The session id must be a UUID: ${options.sessionId}`);
    }
    if (options.sessionId !== undefined && options.resume && !options.fork) {
      throw new BatonError('usage', 'A resumed session keeps its id.', {
        hint: 'Leave the session id away, or fork the session.',
      });
    }
  },
  interactiveArgs({ prompt, ...options }, tempFile) {
    const lost = (['outputSchema', 'budgetUsd', 'images'] as const).find((name) => options[name]);
    if (lost) {
      throw new BatonError('capability_missing', `Claude's own interface has no ${lost}.`, {
        hint: 'Leave it away, or run the prompt without the interface.',
      });
    }
    return terminalArgs({ ...argsInput({ ...options, options, tempFile }), prompt });
  },
};

/** The adapter to Claude Code. */
export const claudeBackend = defineBackend(claudeSpec);

/** Claude refuses this too, but only after it was started. */
function checkRoot({ permissionMode, env }: ResolvedOptions): void {
  if (permissionMode !== 'allow-all' || process.getuid?.() !== 0) return;
  if (env.IS_SANDBOX === '1' || env.CLAUDE_CODE_BUBBLEWRAP) return;
  throw new BatonError(
    'root_refused',
    'Claude Code does not skip permissions for root: it could change anything on this machine.',
    {
      hint: 'Run as another user, use permission mode "ask" or "auto", or set IS_SANDBOX=1 if this is a sandbox.',
    },
  );
}
