import { BatonError, type Usage } from '@baton/protocol/values';
import type { EventDraft, Verdict } from '../../definition/dialect.ts';
import {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
  type ResolvedOptions,
} from '../../definition/driver.ts';
import type { AcpAgent } from '../../dialects/acp/agent.ts';
import { acpDriver } from '../../dialects/acp/driver.ts';
import { GeminiPrinted, LABEL, NOISE, WORDS } from '../../dialects/gemini-stream-json/reader.ts';
import { cannotAsk } from '../../kit/notices.ts';
import { fitsArgument, flag, promptArgument } from '../../kit/prompt-argument.ts';
import { mcpAction } from '../../normalize/actions.ts';
import { array, count, type Json, object } from '../../normalize/json.ts';
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
      let sessionId = input.resume;
      let known = sessionId === undefined ? undefined : sessionReplies(sessionId, env);
      const counted = (verdict: Verdict): Verdict => {
        if (sessionId === undefined) return verdict;
        const replies = sessionReplies(sessionId, env);
        const added = [...replies].filter(([id]) => !known?.has(id)).map(([, reply]) => reply);
        known = replies;
        return withConsumed(verdict, consumedBy(added));
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
      const end = dialect.end.bind(dialect);
      dialect.end = (how) => {
        const verdict = end(how);
        return verdict && counted(verdict);
      };
      return dialect;
    },
  };
}

/** Adds what the session file knows, unless the agent told of other replies than are in the file. */
function withConsumed(
  verdict: Verdict,
  consumed: Pick<Verdict, 'usage' | 'usageByModel'>,
): Verdict {
  const { usage } = verdict;
  const inputTokens = consumed.usage?.inputTokens;
  const isSame = usage?.inputTokens === undefined || usage.inputTokens === inputTokens;
  return isSame && inputTokens !== undefined ? { ...verdict, ...consumed } : verdict;
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
  launch: (input) => printLaunch(input, formatFor(input.prompt.text)),
  dialect: (out, { options }) => {
    for (const notice of cannotAskNotice(options)) out.emit(notice);
    return new GeminiPrinted(out);
  },
};

/** `gemini` for one prompt, which nobody can talk to. */
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
  // Without settings in the folder there is nothing that trust would let in, and print does not work without it.
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
