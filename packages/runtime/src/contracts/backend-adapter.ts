import {
  type AgentEvent,
  BatonError,
  type OptionName,
  OUTCOME_TABLE,
  type RunOptions,
  type RunResult,
} from '@baton/protocol/values';
import type { Backend } from '../definition/backend.ts';
import { withoutMiddle } from '../normalize/error-text.ts';
import { unsupportedOptions } from '../options/check-options.ts';
import { type BackendFailure, backendFailure, type ToolFacts } from './backend-failure.ts';
import {
  claudeForGateway,
  codexForGateway,
  geminiForGateway,
  openCodeForGateway,
} from './contract-backends.ts';

export interface BackendAdapterConfig {
  /** Path to the CLI binary, or its name. */
  cliPath: string;
  workingDir: string;
  queryTimeoutMs: number;
  allowedTools: string[];
  maxTurns: number;
  model?: string;
}

export interface BackendEventResult {
  responseText?: string;
  sessionId?: string;
  isError: boolean;
}

export type StreamCallback = (text: string) => Promise<void>;
/** Called by adapters that know more about an error than its text, before they return it. */
export type FailureCallback = (failure: BackendFailure) => void;

/** Controls that a caller that knows Baton can add to a run. The original contract ends with `onStream`. */
export type ExecuteControls = {
  onFailure?: FailureCallback | undefined;
  /**
   * Called with every event of the run, after the callback for the previous one has settled. Makes the agent stream.
   */
  onEvent?: ((event: AgentEvent) => void | Promise<void>) | undefined;
  /** Stops the run and everything the agent started; the result is then the error "Stopped". */
  signal?: AbortSignal | undefined;
};

/** A backend as the gateway sees it. */
export interface BackendAdapter {
  /** Unique identifier for this backend, such as "claude". */
  name(): string;
  /** Executes a prompt and returns normalized results. */
  execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    controls?: ExecuteControls,
  ): Promise<BackendEventResult>;
  /** Validates that the CLI binary is reachable and executable. */
  validate(): Promise<boolean>;
}

const BACKEND_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type BackendName = (typeof BACKEND_NAMES)[number];

/** Variables by which operators of a gateway set these options. */
const VARIABLES: Partial<Record<OptionName, string>> = {
  'tools.allowed': 'ALLOWED_TOOLS',
  maxTurns: 'BACKEND_MAX_TURNS',
  model: 'BACKEND_MODEL',
};

/** Log for warnings about ignored options. */
export type WarningLog = { warn(message: string): void };

/** The backend that `AGENT_BACKEND` names; Claude when it names none. */
export function resolveBackendName(raw: string | undefined): BackendName {
  if (raw === undefined) return 'claude';
  const name = BACKEND_NAMES.find((each) => each === raw);
  if (name) return name;
  throw new BatonError(
    'usage',
    `Unknown backend "${raw}". Valid options: ${BACKEND_NAMES.join(', ')}`,
    {
      hint: `Set AGENT_BACKEND to one of ${BACKEND_NAMES.join(', ')}.`,
    },
  );
}

/** Makes the adapter of a backend. */
export function createBackend(
  name: BackendName,
  config: BackendAdapterConfig,
  log: WarningLog = console,
): BackendAdapter {
  return new ADAPTERS[name](config, log);
}

/** Base of all adapters: runs a backend once, and reports the result in the gateway's format. */
abstract class GatewayAdapter implements BackendAdapter {
  protected readonly config: BackendAdapterConfig;
  #log: WarningLog;

  constructor(config: BackendAdapterConfig, log: WarningLog = console) {
    this.config = config;
    this.#log = log;
  }

  abstract name(): BackendName;

  /** The backend with the gateway's own command line, in its plain or its streaming form. */
  protected abstract backend(streaming: boolean): Backend;

  /**
   * True if the agent, with this command line, reports each tool before it starts. Only then does a run without tools
   * in its output prove that no tool was started, whenever the agent ended.
   */
  protected reportsToolsFirst(_args: readonly string[]): boolean {
    return false;
  }

  async validate(): Promise<boolean> {
    const { installed } = await this.backend(false).probe({ cwd: this.config.workingDir });
    return installed;
  }

  async execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    { onFailure, onEvent, signal }: ExecuteControls = {},
  ): Promise<BackendEventResult> {
    const stderr: string[] = [];
    const streaming = onStream !== undefined || onEvent !== undefined;
    const facts: ToolFacts = {
      isLaunched: false,
      hasTools: false,
      reportsToolsFirst: false,
    };
    try {
      const run = this.backend(streaming).run({
        prompt,
        ...this.#options(systemPrompt, sessionId),
        signal,
        onLaunch: ({ args }) => {
          facts.isLaunched = true;
          facts.reportsToolsFirst = this.reportsToolsFirst(args);
        },
        onPrinted: (line, stream) => void (stream === 'stderr' && stderr.push(line)),
      });
      for await (const event of run) {
        if (event.type === 'tool.started' || event.type === 'file.changed') facts.hasTools = true;
        await onEvent?.(event);
        if (event.type !== 'message.delta' || event.kind !== 'text' || event.parentId) continue;
        await onStream?.(event.text);
      }
      const result = await run.result;
      const answer = eventResult(result, stderr.join('\n'));
      if (answer.isError) onFailure?.(backendFailure(result.error, facts));
      return answer;
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      onFailure?.(backendFailure(error, facts));
      return { isError: true, responseText: withoutMiddle(error.message) };
    }
  }

  /** Options that the backend lacks are ignored with a warning: the gateway has one configuration for all backends. */
  #options(systemPrompt: string, sessionId: string | undefined): RunOptions {
    const { workingDir, queryTimeoutMs, allowedTools, maxTurns, model } = this.config;
    const options = {
      systemPrompt,
      cwd: workingDir,
      permissionMode: 'allow-all' as const,
      timeouts: { totalMs: queryTimeoutMs },
      maxTurns,
      ...(allowedTools.length > 0 ? { tools: { allowed: allowedTools } } : {}),
      ...(model ? { model } : {}),
      ...(sessionId ? { resume: sessionId } : {}),
    };
    const { capabilities, label } = this.backend(false);
    const ignored = unsupportedOptions(capabilities, options);
    for (const name of ignored) {
      this.#log.warn(`${label} does not support ${name}; ${VARIABLES[name] ?? 'it'} is ignored.`);
    }
    return Object.fromEntries(
      Object.entries(options).filter(
        ([key]) => !ignored.some((name) => name.split('.')[0] === key),
      ),
    );
  }
}

/** Claude Code, called as the gateway has always called it. */
export class ClaudeCodeBackend extends GatewayAdapter {
  name(): BackendName {
    return 'claude';
  }

  protected backend(streaming: boolean): Backend {
    return claudeForGateway({ streaming, binary: this.config.cliPath });
  }

  protected override reportsToolsFirst(args: readonly string[]): boolean {
    return isStreaming(args);
  }
}

/** Codex, called as the gateway calls it. Not every supported release is known to report a patch before applying it. */
export class CodexBackend extends GatewayAdapter {
  name(): BackendName {
    return 'codex';
  }

  protected backend(): Backend {
    return codexForGateway({ binary: this.config.cliPath });
  }
}

/** Gemini CLI, called as the gateway calls it. */
export class GeminiBackend extends GatewayAdapter {
  name(): BackendName {
    return 'gemini';
  }

  protected backend(streaming: boolean): Backend {
    return geminiForGateway({ streaming, binary: this.config.cliPath });
  }

  protected override reportsToolsFirst(args: readonly string[]): boolean {
    return isStreaming(args);
  }
}

/** OpenCode, called as the gateway calls it. It reports a tool only when the tool has ended. */
export class OpenCodeBackend extends GatewayAdapter {
  name(): BackendName {
    return 'opencode';
  }

  protected backend(): Backend {
    return openCodeForGateway({ binary: this.config.cliPath });
  }
}

/** True if an agent was told to print events as they happen; otherwise it prints only the result. */
function isStreaming(args: readonly string[]): boolean {
  return args.some((arg, index) => arg === '--output-format' && args[index + 1] === 'stream-json');
}

const ADAPTERS: Readonly<
  Record<BackendName, new (config: BackendAdapterConfig, log: WarningLog) => GatewayAdapter>
> = {
  claude: ClaudeCodeBackend,
  codex: CodexBackend,
  gemini: GeminiBackend,
  opencode: OpenCodeBackend,
};

/**
 * Converts the result of a run to the gateway's format. A non-zero exit code is an error, even after a readable answer.
 */
export function eventResult(result: RunResult, stderr: string): BackendEventResult {
  const sessionId =
    result.nativeSessionId === undefined ? {} : { sessionId: result.nativeSessionId };
  const isError = OUTCOME_TABLE[result.outcome].isError || hasErrorCode(result);
  const responseText = isError ? errorWords(result, stderr) : result.output;
  return { responseText, ...sessionId, isError };
}

function hasErrorCode({ exitCode }: RunResult): boolean {
  return exitCode !== undefined && exitCode !== 0;
}

function errorWords(result: RunResult, stderr: string): string {
  const { outcome, error, output } = result;
  if (outcome === 'timed_out') return 'Query timed out';
  if (outcome === 'cancelled') return 'Stopped';
  if (hasErrorCode(result) && stderr.trim() !== '') return withoutMiddle(stderr);
  if (error?.code === 'output_unreadable' || error?.code === 'output_truncated') {
    return 'Failed to parse CLI output';
  }
  return withoutMiddle(error?.message ?? output);
}
