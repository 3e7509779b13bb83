import { toml } from './toml.ts';

/** What `codex exec` may do; `bypass` is its own flag for doing everything. */
export type Access = 'read-only' | 'workspace-write' | 'bypass';

/** One run of `codex exec`. */
export type ExecRequest = {
  cwd: string;
  prompt: string;
  access?: Access;
  model?: string | undefined;
  systemPrompt?: string | undefined;
  /** The thread to go on with. */
  sessionId?: string | undefined;
  /** Goes on in a copy of that thread. */
  fork?: boolean;
  /** Further settings as `key=value`, the value in TOML. */
  config?: readonly string[];
  /** Paths of pictures. */
  images?: readonly string[];
  schemaFile?: string | undefined;
  rawArgs?: readonly string[];
};

/** Linux takes at most 128 KiB in one argument; the rest is for what stands around the text. */
const ARGUMENT_BYTES = 100_000;
/** A prompt that is one of these words would be taken for a command of `codex exec`. */
const COMMANDS = new Set(['resume', 'fork', 'review', 'help']);

/** The arguments of one `codex exec` run. */
export function execArgs(request: ExecRequest): string[] {
  const { cwd, prompt, access = 'bypass', model, systemPrompt, sessionId, fork } = request;
  const config = [
    ...(systemPrompt ? [`developer_instructions=${toml(systemPrompt)}`] : []),
    ...(request.config ?? []),
  ];
  // Everything stands before the word `resume`, which refuses `--cd` and others after it.
  return [
    ...['exec', '--json', ...accessFlags(access), '--cd', cwd],
    ...(model ? ['--model', model] : []),
    ...configFlags(config),
    ...(request.images ?? []).map((path) => `--image=${path}`),
    ...(request.schemaFile ? ['--output-schema', request.schemaFile] : []),
    ...(request.rawArgs ?? []),
    ...(sessionId ? [fork ? 'fork' : 'resume', sessionId] : []),
    prompt,
  ];
}

/** The settings as flags. */
export function configFlags(config: readonly string[]): string[] {
  return config.flatMap((setting) => ['-c', setting]);
}

/** Whether a prompt would be misread or refused as an argument and has to go through standard input. */
export function needsStdin(prompt: string): boolean {
  return prompt.startsWith('-') || COMMANDS.has(prompt) || !fitsArgument(prompt);
}

/** Whether a system prompt can be given as an argument. */
export function systemPromptFits(systemPrompt: string): boolean {
  return fitsArgument(toml(systemPrompt));
}

/** The bypass flag works in any folder; with a sandbox Codex wants a git repository unless told otherwise. */
function accessFlags(access: Access): string[] {
  if (access === 'bypass') return ['--dangerously-bypass-approvals-and-sandbox'];
  return ['--skip-git-repo-check', '--sandbox', access];
}

function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= ARGUMENT_BYTES;
}
