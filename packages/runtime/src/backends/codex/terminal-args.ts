import { BatonError } from '@baton/protocol';
import type { LaunchInput, ResolvedOptions } from '../../driver.ts';
import { configFlags } from './args.ts';
import { userSettings } from './drivers.ts';
import { imagePaths } from './images.ts';
import { readServers, serverSettings } from './mcp-servers.ts';
import { LABEL } from './name.ts';
import { toml } from './toml.ts';

/** What Baton could only keep if it read along. */
const NOT_IN_TERMINAL = ['outputSchema', 'budgetUsd', 'maxTurns'] as const;

/** The arguments of Codex's own interface. */
export function terminalArgs(
  options: ResolvedOptions & { prompt?: string | undefined },
  tempFile: LaunchInput['tempFile'],
): string[] {
  const lost = NOT_IN_TERMINAL.find((name) => options[name] !== undefined);
  if (lost) throw missing(lost);
  const { cwd, model, systemPrompt, resume, fork, images = [], prompt } = options;
  const servers = serverSettings(readServers(options), tempFile);
  if (Object.keys(servers.env).length > 0) throw missing('headers for MCP servers');
  return [
    ...accessFlags(options),
    ...['--cd', cwd],
    ...(model ? ['--model', model] : []),
    ...configFlags([
      ...(systemPrompt ? [`developer_instructions=${toml(systemPrompt)}`] : []),
      ...userSettings(options),
      ...servers.config,
    ]),
    ...imagePaths(images, cwd).map((path) => `--image=${path}`),
    ...(options.rawArgs ?? []),
    ...(resume ? [fork ? 'fork' : 'resume', resume] : []),
    ...(prompt === undefined ? [] : ['--', prompt]),
  ];
}

/** The policy "untrusted" is only to be had from the app server; here Codex asks when its sandbox is in the way. */
function accessFlags({ permissionMode }: ResolvedOptions): string[] {
  if (permissionMode === 'allow-all') return ['--dangerously-bypass-approvals-and-sandbox'];
  const sandbox = permissionMode === 'auto' ? 'workspace-write' : 'read-only';
  return ['--sandbox', sandbox, '--ask-for-approval', 'on-request'];
}

function missing(what: string): BatonError {
  return new BatonError('capability_missing', `${LABEL}'s own interface has no ${what}.`, {
    hint: 'Leave it away, or run the prompt without the interface.',
  });
}
