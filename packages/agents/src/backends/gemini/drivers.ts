import { array, count, type Json, object } from '@baton/config/values/json';
import type { EventDraft, Verdict } from '@baton/engine/definition/dialect';
import {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { cannotAsk } from '@baton/engine/kit/notices';
import { fitsArgument, flag, promptArgument } from '@baton/engine/kit/prompt-argument';
import { mcpAction } from '@baton/engine/normalize/actions';
import { BatonError, errorInfo, type Usage } from '@baton/protocol/values';
import type { AcpAgent } from '../../dialects/acp/agent.ts';
import { acpDriver } from '../../dialects/acp/driver.ts';
import { GeminiPrinted, LABEL, NOISE, WORDS } from '../../dialects/gemini-stream-json/reader.ts';
import { authMethod } from './gemini-home.ts';
import { consumedBy, protectSessions, sessionReplies } from './session-files.ts';

/** Words that `gemini` takes for a command of its own. */
const COMMANDS: ReadonlySet<string> = new Set(['mcp', 'extensions', 'skills', 'hooks', 'gemma']);

/** Rules above those of user and folder: everything asks but what only reads or notes something down. */
const POLICY = `
[[rule]]
toolName = "*"
decision = "ask_user"
priority = 900
modes = ["default", "autoEdit"]

# Gemini lets commands on a list of its own pass unasked, such as "uniq", which can write, except where a rule looks at
# the arguments.
[[rule]]
toolName = "run_shell_command"
argsPattern = ".*"
decision = "ask_user"
priority = 950
modes = ["default", "autoEdit"]

[[rule]]
toolName = [
  "glob", "grep_search", "list_directory", "read_file", "read_many_files", "google_web_search",
  "write_todos", "update_topic", "complete_task", "invoke_agent", "codebase_investigator", "cli_help",
  "get_internal_docs", "ask_user",
]
decision = "allow"
priority = 901
modes = ["default", "autoEdit"]
`;

/** Gemini CLI as an agent of the Agent Client Protocol. */
export const GEMINI: AcpAgent = {
  label: LABEL,
  agentName: 'gemini-cli',
  noise: NOISE,
  words: WORDS,
  // The tool is the first part of the id of its call.
  toolName: ({ toolCallId }) => /^(.+?)__/.exec(String(toolCallId))?.[1],
  mcpAction: (name, input, servers) => {
    const rest = name.startsWith('mcp_') ? name.slice('mcp_'.length) : '';
    // Gemini itself takes the first underscore for the end of the server's name.
    const [first = ''] = rest.split('_');
    return mcpAction(rest, input, servers) ?? mcpAction(rest, input, [first]);
  },
  isOwnText: (text) => text.startsWith('[MODE_UPDATE]'),
  usage: (result) => quotaUsage(object(object(result._meta).quota)),
  usageByModel: (result) => {
    const models = array(object(object(result._meta).quota).model_usage).map(object);
    const known = models.flatMap((each) => {
      const usage = quotaUsage(each);
      return usage ? [[String(each.model), usage] as const] : [];
    });
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  },
};

function quotaUsage({ token_count }: Json): Usage | undefined {
  const tokens = object(token_count);
  const inputTokens = count(tokens.input_tokens);
  const outputTokens = count(tokens.output_tokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** Takes care of the files in which Gemini CLI keeps its sessions, and reads from them what a run consumed. */
function withSessionFiles(driver: Driver): Driver {
  return {
    ...driver,
    launch: (input) => {
      protectSessions(input.options.env, input.resume);
      return driver.launch(input);
    },
    dialect: (out, input) => {
      const { env } = input.options;
      let isCommand = false;
      let sessionId = input.resume;
      let known = sessionId === undefined ? undefined : sessionReplies(sessionId, env).all;
      const counted = (verdict: Verdict): Verdict => {
        if (sessionId === undefined) return verdict;
        const { main, all } = sessionReplies(sessionId, env);
        const before = known;
        const added = (replies: typeof all) =>
          [...replies].flatMap(([id, reply]) => (before?.has(id) ? [] : [reply]));
        known = all;
        const consumed = consumedBy(added(all));
        if (driver.keepsProcess && !isCommand && isCutOff(verdict, added(main)))
          return { outcome: 'failed', error: CUT_OFF, output: verdict.output, ...consumed };
        return withConsumed(verdict, { main: consumedBy(added(main)), all: consumed });
      };
      const emit = (draft: EventDraft) => {
        if (draft.type === 'run.identified') {
          sessionId = draft.nativeSessionId;
          if (input.resume !== undefined) protectSessions(env);
        }
        out.emit(draft);
      };
      const complete = (verdict: Verdict) => {
        if (input.resume !== undefined) protectSessions(env);
        out.complete(counted(verdict));
      };
      const dialect = driver.dialect({ ...out, emit, complete }, input);
      const prompt = dialect.prompt?.bind(dialect);
      if (prompt)
        dialect.prompt = (given) => {
          isCommand = /^\s*[/$]/.test(given.text);
          prompt(given);
        };
      const end = dialect.end.bind(dialect);
      dialect.end = (how) => {
        const verdict = end(how);
        return verdict && counted(verdict);
      };
      return dialect;
    },
  };
}

const CUT_OFF = errorInfo(
  'provider_error',
  'The reply of the model was cut off or could not be used.',
);

/**
 * True if Gemini CLI ended its turn because it could not use the model's last reply: it reports the turn as done, but
 * does not count that reply, and may leave it out of the session too.
 */
export function isCutOff({ outcome, usage }: Verdict, replies: readonly Json[]): boolean {
  const told = usage?.inputTokens;
  if (outcome !== 'done' || told === undefined) return false;
  if (replies.length === 0) return told === 0;
  const inputs = replies.flatMap(({ tokens }) => count(object(tokens).input) ?? []);
  const last = inputs.at(-1) ?? 0;
  return last > 0 && told === inputs.reduce((sum, each) => sum + each, 0) - last;
}

type Consumed = Pick<Verdict, 'usage' | 'usageByModel'>;

/**
 * Adds the usage from the session files, unless the agent reported other replies than they contain. Through ACP it does
 * not report the usage of its sub-agents; through print it does.
 */
function withConsumed(verdict: Verdict, { main, all }: Record<'main' | 'all', Consumed>): Verdict {
  const told = verdict.usage?.inputTokens;
  const known = [main, all].map(({ usage }) => usage?.inputTokens);
  const isSame = told === undefined || known.includes(told);
  return isSame && all.usage ? { ...verdict, ...all } : verdict;
}

const acp: Driver = acpDriver({
  agent: GEMINI,
  canWithholdSettings: true,
  // From the end of its input to the exit it took 30 ms to 3 s, from SIGTERM about 40 ms.
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
  modes: { ask: 'default', auto: 'default', 'allow-all': 'yolo' },
  authMethod: ({ env }) => authMethod(env),
  launch: ({ options, tempFile }) => ({
    args: [
      '--acp',
      ...flag('--model', options.model),
      ...(options.permissionMode === 'allow-all'
        ? ['--approval-mode', 'yolo']
        : ['--approval-mode', 'default', '--admin-policy', tempFile('policy.toml', POLICY)]),
      ...(options.rawArgs ?? []),
    ],
    env: environment(options),
    stdin: 'open',
  }),
});

/** `gemini --acp`: one process for many prompts, with questions and answers. */
export const live: Driver = withSessionFiles(acp);

const printed: Driver = {
  transport: 'print',
  keepsProcess: false,
  graceMs: 3000,
  stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
  lacks: { images: 'its prompt is text', mcpConfig: 'it takes its servers from its settings' },
  // It can name the server that gets the user's key, and the container that Gemini runs in.
  alsoLoads: ['.env'],
  launch: (input) => printLaunch(input, formatFor(input.prompt.text)),
  dialect: (out, { options }) => {
    for (const notice of cannotAskNotice(options)) out.emit(notice);
    return new GeminiPrinted(out);
  },
};

/** `gemini` for one prompt, without communication while it works. */
export const print: Driver = withSessionFiles(printed);

/** Gemini CLI as the gateway calls it; the streaming form shows the answer as it grows. */
export function gatewayDriver(streaming: boolean): Driver {
  return withSessionFiles({
    ...printed,
    // Each call of the gateway brings its own.
    lacksSystemPrompt: () => 'always',
    launch: (input) => printLaunch(input, streaming ? formatFor(input.prompt.text) : 'json'),
  });
}

function printLaunch({ options, prompt, resume }: LaunchInput, format: PrintFormat): Launch {
  const { argument, stdin } = promptArgument(prompt.text, COMMANDS);
  return {
    args: printArgs(options, { resume, format, prompt: argument }),
    env: environment(options),
    stdin,
  };
}

type PrintFormat = 'stream-json' | 'json';

/** The stream repeats the prompt, and Gemini loses the end of a long stream when it exits; the whole answer is shorter. */
function formatFor(prompt: string): PrintFormat {
  return fitsArgument(prompt) ? 'stream-json' : 'json';
}

type PrintInput = { resume?: string | undefined; format: PrintFormat; prompt: string | undefined };

/** The command line for one prompt. A prompt that is missing here goes to standard input. */
export function printArgs(
  options: Pick<ResolvedOptions, 'model' | 'permissionMode' | 'rawArgs'>,
  { resume, format, prompt }: PrintInput,
): string[] {
  return [
    '--output-format',
    format,
    '--approval-mode',
    options.permissionMode === 'allow-all' ? 'yolo' : 'default',
    ...flag('--model', options.model),
    ...flag('--resume', resume),
    ...(options.rawArgs ?? []),
    ...(prompt === undefined ? [] : [prompt]),
  ];
}

/** Gemini CLI starts itself a second time by default, and the first one hears no signal. */
function environment({ trust, transport }: ResolvedOptions): Record<string, string> {
  // A folder with anything that trust would let in has been refused, and print does not work without trust.
  const isTrusted = trust.trusted || (transport !== 'live' && trust.settings.length === 0);
  return { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: String(isTrusted) };
}

/** Flags that would give Gemini more rights than the permission mode. */
const WIDENING =
  /^(?:--skip-trust|--yolo|-y|--approval-mode|--allowed-tools|--policy|--admin-policy)(?:=|$)/;

/** Refuses what Gemini CLI cannot do in this mode or through this transport. */
export function checkOptions(options: ResolvedOptions): void {
  const { permissionMode, rawArgs = [], transport, mode } = options;
  const widening = rawArgs.find((arg) => WIDENING.test(arg));
  if (widening && permissionMode !== 'allow-all') {
    throw new BatonError(
      'usage',
      `${widening} would give Gemini CLI more rights than permission mode "${permissionMode}".`,
      { hint: 'Leave it out, or use permission mode "allow-all".' },
    );
  }
  if (permissionMode === 'auto' && (transport === 'print' || mode === 'print')) {
    throw new BatonError(
      'capability_missing',
      'Gemini CLI cannot keep permission mode "auto" through print: it would edit protected files unasked.',
      { hint: 'Use the live transport, or permission mode "ask".' },
    );
  }
}

function cannotAskNotice({ permissionMode }: ResolvedOptions): EventDraft[] {
  if (permissionMode === 'allow-all') return [];
  return [cannotAsk('gemini', permissionMode, 'it has no tools that change anything')];
}
