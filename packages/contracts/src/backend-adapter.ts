import type { Backend } from '@baton/engine/definition/backend';
import { BatonError, type OptionName, type RunOptions } from '@baton/protocol/values';
import { gatewayBackend } from './contract-backends.ts';
import type { BackendEventResult } from './event-result.ts';
import { GatewayReport } from './gateway-report.ts';
import { supportedOptions } from './supported-options.ts';

export interface BackendAdapterConfig {
  /** Path to the CLI binary, or its name. */
  cliPath: string;
  workingDir: string;
  queryTimeoutMs: number;
  allowedTools: string[];
  maxTurns: number;
  model?: string;
}

export type StreamCallback = (text: string) => Promise<void>;

/** Controls that a caller that knows Baton can add to a run. The original contract ends with `onStream`. */
export type ExecuteControls = {
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

/** The names of the backends. */
export const BACKEND_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
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

/**
 * Makes the report on a run of a backend. Codex and OpenCode never prove that no tool was started: not every supported
 * release of Codex is known to report a patch before applying it, and OpenCode reports a tool when it has ended.
 */
export function gatewayReport(name: BackendName): GatewayReport {
  return new GatewayReport(name === 'claude' || name === 'gemini');
}

/** Names an option that an agent lacks as operators set it. */
export function ignoredOption(label: string, name: OptionName): string {
  return `${label} does not support ${name}; ${VARIABLES[name] ?? 'it'} is ignored.`;
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

  async validate(): Promise<boolean> {
    const { installed } = await this.#backend(false).probe({ cwd: this.config.workingDir });
    return installed;
  }

  async execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    { signal }: ExecuteControls = {},
  ): Promise<BackendEventResult> {
    const report = gatewayReport(this.name());
    const { onLaunch, onPrinted } = report;
    try {
      const run = this.#backend(onStream !== undefined).run({
        ...this.#options(systemPrompt, sessionId),
        ...{ prompt, signal, onLaunch, onPrinted },
      });
      for await (const event of run) {
        report.see(event);
        if (event.type !== 'message.delta' || event.kind !== 'text' || event.parentId) continue;
        await onStream?.(event.text);
      }
      return report.end(await run.result);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      return report.fail(error);
    }
  }

  /** The backend with the gateway's own command line, in its plain or its streaming form. */
  #backend(streaming: boolean): Backend {
    return gatewayBackend(this.name(), { streaming, binary: this.config.cliPath });
  }

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
    const backend = this.#backend(false);
    return supportedOptions(backend, options, (name) =>
      this.#log.warn(ignoredOption(backend.label, name)),
    );
  }
}

/** Claude Code, called as the gateway has always called it. */
export class ClaudeCodeBackend extends GatewayAdapter {
  name(): BackendName {
    return 'claude';
  }
}

/** Codex, called as the gateway calls it. */
export class CodexBackend extends GatewayAdapter {
  name(): BackendName {
    return 'codex';
  }
}

/** Gemini CLI, called as the gateway calls it. */
export class GeminiBackend extends GatewayAdapter {
  name(): BackendName {
    return 'gemini';
  }
}

/** OpenCode, called as the gateway calls it. */
export class OpenCodeBackend extends GatewayAdapter {
  name(): BackendName {
    return 'opencode';
  }
}

const ADAPTERS: Readonly<
  Record<BackendName, new (config: BackendAdapterConfig, log: WarningLog) => GatewayAdapter>
> = {
  claude: ClaudeCodeBackend,
  codex: CodexBackend,
  gemini: GeminiBackend,
  opencode: OpenCodeBackend,
};
