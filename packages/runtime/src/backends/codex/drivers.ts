import type { EventDraft, StreamEnd } from '../../dialect.ts';
import { DEFAULT_STOP, type Driver, type LaunchInput, type ResolvedOptions } from '../../driver.ts';
import { withSystemPrompt } from '../../emulate/system-prompt.ts';
import { cannotAsk } from '../support.ts';
import { AppServerDialect } from './app-server-dialect.ts';
import { type Access, configFlags, execArgs, needsStdin, systemPromptFits } from './args.ts';
import { apiKey } from './credentials.ts';
import { execDialect } from './exec-dialect.ts';
import { imagePaths } from './images.ts';
import { readServers, serverSettings } from './mcp-servers.ts';
import { earlierTokens, threadContains } from './rollout.ts';
import { asks, threadRequest, turnParams } from './thread-params.ts';
import { tomlSettings } from './toml.ts';
import { isDecided, trustSetting } from './trust.ts';
import { readPrices, type Tokens } from './usage.ts';

/** The app server: one process for many prompts, with questions and answers. */
export const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  // In the middle of `sleep 60`, measured: from the interrupt to the end of the turn 20 to 35 ms, from the end
  // of its input to the exit 25 to 40 ms, from SIGINT 15 to 30 ms. The interrupt leaves the command running;
  // the exit ends it.
  stop: DEFAULT_STOP,
  // It loads nothing from a folder that it was not told to trust.
  canWithholdSettings: true,
  isStartRace,
  lacksSystemPrompt,
  launch: ({ options }) => ({
    args: [
      'app-server',
      ...configFlags([...trustOf(options), ...liveSettings(options), ...userSettings(options)]),
      ...(options.rawArgs ?? []),
    ],
    stdin: 'open',
  }),
  dialect: (out, input) =>
    new AppServerDialect(out, {
      cwd: input.options.cwd,
      thread: threadRequest(input),
      turn: turnParams(input.options),
      apiKey: apiKey(input.options.env),
      prices: readPrices(input.options.providerOptions?.prices),
    }),
};

/** `codex exec`: one process for one prompt, which nobody can talk to. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  // It has no interrupt; from SIGINT to the exit it took 60 to 290 ms, in which it ends its commands.
  stop: { ...DEFAULT_STOP, signalMs: 1000 },
  canWithholdSettings: true,
  isStartRace,
  lacksSystemPrompt,
  launch: (input) => {
    const { options, prompt, tempFile, resume } = input;
    const servers = serverSettings(readServers(options), tempFile);
    const { text, systemPrompt } = instructed(input);
    const byStdin = needsStdin(text);
    const key = apiKey(options.env);
    return {
      args: execArgs({
        cwd: options.cwd,
        prompt: byStdin ? '-' : text,
        access: accessOf(options),
        model: options.model,
        systemPrompt,
        sessionId: resume,
        fork: input.fork,
        config: [...execTrust(options), ...userSettings(options), ...servers.config],
        images: imagePaths(prompt.images, options.cwd),
        schemaFile:
          options.outputSchema && tempFile('schema.json', JSON.stringify(options.outputSchema)),
        rawArgs: options.rawArgs ?? [],
      }),
      env: { ...servers.env, ...(key ? { CODEX_API_KEY: key } : {}) },
      stdin: byStdin ? { text } : 'none',
    };
  },
  dialect: (out, input) => {
    const { options, resume } = input;
    return execDialect(out, {
      earlier: resume === undefined ? undefined : earlierOf(resume, options),
      prices: readPrices(options.providerOptions?.prices),
      notices: nobodyToAsk(options),
    });
  },
};

/** Codex makes its databases at its first start in a home, and leaves when another one is at it. */
function isStartRace({ stderr }: StreamEnd): boolean {
  return /failed to initialize (?:sqlite )?state runtime/.test(stderr);
}

/** A thread keeps the instructions that it began with, whatever it is resumed with. */
function lacksSystemPrompt({ systemPrompt, resume, env }: ResolvedOptions): boolean {
  return !!systemPrompt && !!resume && !threadContains(resume, systemPrompt, env);
}

function earlierOf(threadId: string, { env }: ResolvedOptions): Tokens | 'unknown' {
  return earlierTokens(threadId, env) ?? 'unknown';
}

/** The values of `settings` as `key=value`. */
export function userSettings({ settings }: Pick<ResolvedOptions, 'settings'>): string[] {
  return typeof settings === 'object' ? tomlSettings(settings) : [];
}

/** What `codex exec` may do in a permission mode: it cannot ask. */
function accessOf({ permissionMode }: ResolvedOptions): Access {
  if (permissionMode === 'allow-all') return 'bypass';
  return permissionMode === 'auto' ? 'workspace-write' : 'read-only';
}

/** What a person decided about the folder, where it was not Codex itself that was told. */
function trustOf({ cwd, trust }: ResolvedOptions): string[] {
  if (trust.decidedBy === undefined || trust.decidedBy === 'agent') return [];
  return [trustSetting(cwd, trust.trusted)];
}

/** With write access Codex would note in the user's config.toml that it trusts a folder about which nobody decided. */
function execTrust(options: ResolvedOptions): string[] {
  const { cwd, env, trust } = options;
  if (trust.decidedBy !== undefined || accessOf(options) === 'read-only') return trustOf(options);
  return isDecided(cwd, env) ? [] : [trustSetting(cwd, false)];
}

/** Before the user's own settings, which win. */
function liveSettings(options: ResolvedOptions): string[] {
  return [
    // A goal would start turns of its own after the run has ended.
    'features.goals=false',
    // Without it the agent can ask the person something only in its plan mode.
    'features.default_mode_request_user_input=true',
    // Else the agent could type anything into a command that was allowed once.
    ...(asks(options) ? ['features.unified_exec_tty=false'] : []),
    // The key is for this process and must not replace the user's login.
    ...(apiKey(options.env) ? ['cli_auth_credentials_store="ephemeral"'] : []),
  ];
}

/** A system prompt that is too large for an argument stands in front of the prompt. */
function instructed({ options, prompt, resume }: LaunchInput): {
  text: string;
  systemPrompt?: string | undefined;
} {
  const { systemPrompt } = options;
  if (systemPrompt === undefined || resume !== undefined) return { text: prompt.text };
  if (systemPromptFits(systemPrompt)) return { text: prompt.text, systemPrompt };
  return { text: withSystemPrompt(systemPrompt, prompt.text) };
}

function nobodyToAsk(options: ResolvedOptions): EventDraft[] {
  const access = accessOf(options);
  if (access === 'bypass') return [];
  const instead = `it works without questions in a ${access} sandbox`;
  return [cannotAsk('codex exec', options.permissionMode, instead)];
}
