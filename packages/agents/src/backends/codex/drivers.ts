import type { Json } from '@baton/config/values/json';
import type { EventDraft, StreamEnd } from '@baton/engine/definition/dialect';
import {
  DEFAULT_STOP,
  type Driver,
  type LaunchInput,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { withSystemPrompt } from '@baton/engine/emulate/system-prompt';
import { cannotAsk } from '@baton/engine/kit/notices';
import { each, promptArgument } from '@baton/engine/kit/prompt-argument';
import { defaultPrices, readPrices } from '@baton/engine/prices/estimate-cost';
import { BatonError } from '@baton/protocol/values';
import { LABEL } from '../../dialects/codex-jsonl/errors.ts';
import { execDialect } from '../../dialects/codex-jsonl/exec.ts';
import type { Tokens } from '../../dialects/codex-jsonl/usage.ts';
import type { ThreadRequest } from './app-server-client.ts';
import { AppServerDialect } from './app-server-dialect.ts';
import {
  type Access,
  EXEC_COMMANDS,
  execArgs,
  imagePaths,
  systemPromptFits,
  userSettings,
} from './args.ts';
import {
  earlierTokens,
  isFolderInConfig,
  threadHasSystemPrompt,
  trustSetting,
} from './codex-home.ts';
import { apiKey } from './credentials.ts';
import { codexServers, serverSettings, threadServers } from './mcp-servers.ts';

/** The app server: one process for many prompts, with questions and answers. */
export const live: Driver = {
  transport: 'live',
  keepsProcess: true,
  reportsEachCall: true,
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
      ...each('-c', [...decidedTrust(options), ...liveSettings(options), ...userSettings(options)]),
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
      checkModel: (model) => budgetProblem(input.options, model)?.toJSON(),
    }),
};

/** Returns an error if a budget cannot be enforced: Codex reports only tokens, so their price must be known. */
export function budgetProblem(
  { budgetUsd, providerOptions }: Pick<ResolvedOptions, 'budgetUsd' | 'providerOptions'>,
  model: string | undefined,
): BatonError | undefined {
  const prices = readPrices(providerOptions?.prices) ?? defaultPrices(model);
  if (budgetUsd === undefined || prices) return undefined;
  const what = model === undefined ? 'no model is named' : `no price of ${model} is known`;
  return new BatonError(
    'capability_missing',
    `${LABEL} reports tokens but not cost, and ${what}.`,
    {
      hint: 'Set providerOptions.prices, name a model with a known price, or omit budgetUsd.',
    },
  );
}

/** `codex exec`: one process per prompt, without communication while it works. */
export const print: Driver = {
  transport: 'print',
  keepsProcess: false,
  omitsSubAgents: true,
  // It has no interrupt; from SIGINT to the exit it took 60 to 290 ms, in which it ends its commands.
  stop: { ...DEFAULT_STOP, signalMs: 1000 },
  canWithholdSettings: true,
  isStartRace,
  lacksSystemPrompt,
  launch: (input) => {
    const { options, prompt, tempFile, resume } = input;
    checkThread(resume);
    const servers = serverSettings(codexServers(options), tempFile);
    const { text, systemPrompt } = withInstructions(input);
    const { argument, stdin } = promptArgument(text, EXEC_COMMANDS);
    const key = apiKey(options.env);
    return {
      args: execArgs({
        cwd: options.cwd,
        prompt: argument ?? '-',
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
      stdin,
    };
  },
  dialect: (out, input) => {
    const { options, resume } = input;
    return execDialect(out, {
      earlier: resume === undefined ? undefined : earlierOf(resume, options),
      noted: (threadId) => earlierTokens(threadId, options.env),
      notices: cannotAskNotice(options),
    });
  },
};

/** Rejects an invalid id: `codex exec resume` would silently create a new thread for it. */
export function checkThread(id: string | undefined): void {
  if (id === undefined || UUID.test(id)) return;
  throw new BatonError('session_not_found', `Codex has no thread "${id}".`);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Codex creates its databases at its first start in a home, and exits if another process is creating them. */
export function isStartRace({ stderr }: StreamEnd): boolean {
  return /failed to initialize (?:sqlite )?state runtime/.test(stderr);
}

/** A thread keeps the instructions that it began with, whatever it is resumed with. */
export function lacksSystemPrompt({ systemPrompt, resume, env }: ResolvedOptions): boolean {
  return !!systemPrompt && !!resume && !threadHasSystemPrompt(resume, systemPrompt, env);
}

export function earlierOf(threadId: string, { env }: ResolvedOptions): Tokens | 'unknown' {
  return earlierTokens(threadId, env) ?? 'unknown';
}

/** Returns the access of `codex exec` in a permission mode: it cannot ask. */
export function accessOf({ permissionMode }: ResolvedOptions): Access {
  if (permissionMode === 'allow-all') return 'bypass';
  return permissionMode === 'auto' ? 'workspace-write' : 'read-only';
}

/** Returns the trust setting for the folder if it was decided elsewhere than in Codex itself. */
function decidedTrust({ cwd, trust }: ResolvedOptions): string[] {
  if (trust.decidedBy === undefined || trust.decidedBy === 'agent') return [];
  return [trustSetting(cwd, trust.trusted)];
}

/** With write access Codex would store its trust in an undecided folder in the user's config.toml. */
export function execTrust(options: ResolvedOptions): string[] {
  const { cwd, env, trust } = options;
  if (trust.decidedBy !== undefined || accessOf(options) === 'read-only')
    return decidedTrust(options);
  return isFolderInConfig(cwd, env) ? [] : [trustSetting(cwd, false)];
}

/** Settings of Baton, placed before the user's own, which take precedence. */
function liveSettings(options: ResolvedOptions): string[] {
  return [
    // A goal would start further turns after the run has ended.
    'features.goals=false',
    // Without it the agent can ask the person something only in its plan mode.
    'features.default_mode_request_user_input=true',
    // Else the agent could type anything into a command that was allowed once.
    ...(asksForApproval(options) ? ['features.unified_exec_tty=false'] : []),
    // The key is for this process and must not replace the user's login.
    ...(apiKey(options.env) ? ['cli_auth_credentials_store="ephemeral"'] : []),
  ];
}

/** A system prompt that is too large for an argument is prepended to the prompt. */
export function withInstructions({ options, prompt, resume }: LaunchInput): {
  text: string;
  systemPrompt?: string | undefined;
} {
  const { systemPrompt } = options;
  if (systemPrompt === undefined || resume !== undefined) return { text: prompt.text };
  if (systemPromptFits(systemPrompt)) return { text: prompt.text, systemPrompt };
  return { text: withSystemPrompt(systemPrompt, prompt.text) };
}

export function cannotAskNotice(options: ResolvedOptions, program = 'codex exec'): EventDraft[] {
  const access = accessOf(options);
  if (access === 'bypass') return [];
  const instead = `it runs in a ${access} sandbox without asking`;
  return [cannotAsk(program, options.permissionMode, instead)];
}

/** True if a person or a policy decides about the agent's actions. */
function asksForApproval({ permissionMode }: Pick<ResolvedOptions, 'permissionMode'>): boolean {
  return permissionMode !== 'allow-all';
}

/** Returns the request that opens the thread of a run. */
export function threadRequest({
  options,
  resume,
  fork,
}: Pick<LaunchInput, 'options' | 'resume' | 'fork'>): ThreadRequest {
  const mustAsk = asksForApproval(options);
  const servers = threadServers(codexServers(options), mustAsk);
  const params: Json = {
    cwd: options.cwd,
    model: options.model,
    // "untrusted" asks before every command, every edit and every MCP tool.
    approvalPolicy: mustAsk ? 'untrusted' : 'never',
    approvalsReviewer: 'user',
    // Always: a thread that begins with more makes Codex note in the user's config.toml that it trusts the folder.
    sandbox: 'read-only',
    config: { mcp_servers: servers },
  };
  if (resume === undefined) {
    return {
      method: 'thread/start',
      params: { ...params, developerInstructions: options.systemPrompt },
    };
  }
  const method = fork ? 'thread/fork' : 'thread/resume';
  return { method, params: { ...params, threadId: resume, excludeTurns: true } };
}

/**
 * Parameters of every turn. Full access is granted only here, where Codex does not store it permanently, and also if
 * Baton asks: inside a sandbox, an allowed command would silently lose its writes, or run twice, first inside and then
 * outside.
 */
export function turnParams({ outputSchema }: ResolvedOptions): Json {
  return { sandboxPolicy: { type: 'dangerFullAccess' }, outputSchema };
}
