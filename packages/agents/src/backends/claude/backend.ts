import type { Adapter } from '@baton/engine/definition/backend-entry';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { BatonError } from '@baton/protocol/values';
import { terminalArgs } from './args.ts';
import { claudeTrusts, findCredentials } from './credentials.ts';
import { claudeDialects } from './dialect.ts';
import { argsInput, live, plain, print } from './drivers.ts';
import { claudeEntry } from './index.ts';
import { claudeCatalog, folderCommands } from './models-and-commands.ts';
import { PROVIDER_OPTIONS } from './provider-options.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Adapter for Claude Code, loaded on first use. */
export const claudeAdapter: Adapter = {
  providerOptions: PROVIDER_OPTIONS,
  drivers: [live, plain, print],
  dialects: claudeDialects,
  credentials: findCredentials,
  trusts: claudeTrusts,
  catalog: claudeCatalog,
  folderCommands,
  check(options) {
    checkRoot(options);
    if (options.sessionId !== undefined && !UUID.test(options.sessionId)) {
      throw new BatonError('usage', `The session id must be a UUID: ${options.sessionId}`);
    }
    if (options.sessionId !== undefined && options.resume && !options.fork) {
      throw new BatonError('usage', 'A resumed session keeps its id.', {
        hint: 'Omit the session id, or fork the session.',
      });
    }
  },
  interactiveArgs({ prompt, ...options }, tempFile) {
    return terminalArgs({ ...argsInput({ ...options, options, tempFile }), prompt });
  },
  interactiveLacks: ['outputSchema', 'budgetUsd', 'images'],
};

/** All that is particular to Claude Code. */
export const claudeSpec = { ...claudeEntry, ...claudeAdapter };

/** Claude refuses this too, but only after it was started. */
function checkRoot({ permissionMode, env }: ResolvedOptions): void {
  if (permissionMode !== 'allow-all' || process.getuid?.() !== 0) return;
  if (env.IS_SANDBOX === '1' || env.CLAUDE_CODE_BUBBLEWRAP) return;
  throw new BatonError(
    'root_refused',
    'Claude Code does not bypass permissions when it runs as root.',
    {
      hint: 'Run as another user, use permission mode "ask" or "auto", or set IS_SANDBOX=1 if this is a sandbox.',
    },
  );
}
