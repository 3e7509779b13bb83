import { resolve } from 'node:path';
import type { LaunchInput, ResolvedOptions } from '@baton/engine/definition/driver';
import { each, fitsArgument, flag } from '@baton/engine/kit/prompt-argument';
import { toml, tomlSettings } from '@baton/engine/kit/toml';
import { BatonError, type ImageInput } from '@baton/protocol/values';
import { LABEL } from '../../dialects/codex-jsonl/errors.ts';
import { codexServers, serverSettings } from './mcp-servers.ts';

/** Access of `codex exec`; `bypass` is its flag for full access. */
export type Access = 'read-only' | 'workspace-write' | 'bypass';

/** One run of `codex exec`. */
export type ExecRequest = {
  cwd: string;
  prompt: string;
  access?: Access;
  model?: string | undefined;
  systemPrompt?: string | undefined;
  /** The thread to resume. */
  sessionId?: string | undefined;
  /** Continues in a copy of that thread. */
  fork?: boolean;
  /** Further settings as `key=value`, the value in TOML. */
  config?: readonly string[];
  /** Paths of pictures. */
  images?: readonly string[];
  schemaFile?: string | undefined;
  rawArgs?: readonly string[];
};

/** A prompt that is one of these words would be taken for a command of `codex exec`. */
export const EXEC_COMMANDS: ReadonlySet<string> = new Set(['resume', 'fork', 'review', 'help']);

/** The arguments of one `codex exec` run. */
export function execArgs(request: ExecRequest): string[] {
  const { cwd, prompt, access = 'bypass', model, systemPrompt, sessionId, fork } = request;
  const config = [
    ...(systemPrompt ? [`developer_instructions=${toml(systemPrompt)}`] : []),
    ...(request.config ?? []),
  ];
  // Everything is before the word `resume`, which rejects `--cd` and others after it.
  return [
    ...['exec', '--json', ...execAccess(access), '--cd', cwd],
    ...flag('--model', model),
    ...each('-c', config),
    ...(request.images ?? []).map((path) => `--image=${path}`),
    ...flag('--output-schema', request.schemaFile),
    ...(request.rawArgs ?? []),
    ...(sessionId ? [fork ? 'fork' : 'resume', sessionId] : []),
    prompt,
  ];
}

/** True if a system prompt fits into an argument. */
export function systemPromptFits(systemPrompt: string): boolean {
  return fitsArgument(toml(systemPrompt));
}

/** The arguments of Codex's own interface. */
export function terminalArgs(
  options: ResolvedOptions & { prompt?: string | undefined },
  tempFile: LaunchInput['tempFile'],
): string[] {
  const { cwd, model, systemPrompt, resume, fork, images = [], prompt } = options;
  const servers = serverSettings(codexServers(options), tempFile);
  if (Object.keys(servers.env).length > 0) throw missing('headers for MCP servers');
  return [
    ...terminalAccess(options),
    ...['--cd', cwd],
    ...flag('--model', model),
    ...each('-c', [
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

/** The values of `settings` as `key=value`. */
export function userSettings({ settings }: Pick<ResolvedOptions, 'settings'>): string[] {
  return typeof settings === 'object' ? tomlSettings(settings) : [];
}

/** The paths of pictures, for a command line, which takes no other kind. */
export function imagePaths(images: readonly ImageInput[], cwd: string): string[] {
  return images.map((image) => {
    if ('path' in image) return resolve(cwd, image.path);
    throw new BatonError(
      'capability_missing',
      'The print transport accepts images only as files.',
      {
        hint: 'Omit the transport option, or write the image to a file.',
      },
    );
  });
}

/** The bypass flag works in any folder; with a sandbox Codex wants a git repository unless told otherwise. */
function execAccess(access: Access): string[] {
  if (access === 'bypass') return ['--dangerously-bypass-approvals-and-sandbox'];
  return ['--skip-git-repo-check', '--sandbox', access];
}

/** The policy "untrusted" exists only in the app server; here Codex asks when its sandbox blocks something. */
function terminalAccess({ permissionMode }: ResolvedOptions): string[] {
  if (permissionMode === 'allow-all') return ['--dangerously-bypass-approvals-and-sandbox'];
  const sandbox = permissionMode === 'auto' ? 'workspace-write' : 'read-only';
  return ['--sandbox', sandbox, '--ask-for-approval', 'on-request'];
}

function missing(what: string): BatonError {
  return new BatonError(
    'capability_missing',
    `The interactive mode of ${LABEL} does not support ${what}.`,
    {
      hint: 'Omit it, or use "baton run".',
    },
  );
}
