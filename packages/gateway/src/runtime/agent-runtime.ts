import { DEFAULT_RETRY, delay, withRetry } from '@baton/protocol';
import type {
  BackendAdapter,
  BackendEventResult,
  BackendFailure,
  ExecuteControls,
  StreamCallback,
  WarningLog,
} from '@baton/runtime/contracts';
import type { GatewaySessions } from '@baton/store';
import { RunLeft } from '../agents/run-left.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import type { HookManager } from '../hooks/hook-manager.ts';
import type { MarkdownConfigLoader } from '../prompt/markdown-config-loader.ts';
import type { SystemPromptAssembler } from '../prompt/system-prompt-assembler.ts';
import type { EventResult, GatewayEvent } from '../queue/gateway-event.ts';

/** Output of agents that cannot continue a session, for adapters that report no error code. */
const SESSION_ERROR =
  /\b(?:session|conversation|thread)\b.*\b(?:not found|does not exist|invalid|corrupt(?:ed)?|expired)\b|\bno (?:session|conversation|thread) found\b|\binvalid (?:session|conversation|thread)\b/i;

/** The error of a run that the caller stopped, whatever else had failed. */
const STOPPED = 'Stopped';

/** The agents' own session ids, per channel and backend; implemented by `Store.gatewaySessions`. */
export type SessionManager = Pick<GatewaySessions, 'get' | 'set' | 'remove'>;

export type AgentRuntimeOptions = {
  log?: WarningLog;
  /** Pauses between retries. */
  sleep?: typeof delay;
};

/** The result of one attempt, with the adapter's information about its failure. */
export type Attempt = BackendEventResult & { failure?: BackendFailure | undefined };

/** Callbacks of a run's caller, and its signal to stop the run. */
export type RunObserver = Pick<ExecuteControls, 'onEvent' | 'signal'> & {
  /** Awaited before the agent gets the prompt for the first time. */
  agentStarts?(): Promise<void>;
  /** More text of the answer. Without it and `onEvent` the agent does not stream, and fewer failures can be retried. */
  onStream?: StreamCallback | undefined;
  /** The prompt is about to run again: the text streamed so far is void. */
  onRetry?(attempt: number): void;
};

/** Runs a message with the agent of the gateway, in the session of its channel. */
export class AgentRuntime {
  #config: GatewayConfig;
  #backend: BackendAdapter;
  #sessions: SessionManager;
  #loader: MarkdownConfigLoader;
  #assembler: SystemPromptAssembler;
  #hooks: HookManager;
  #options: Required<AgentRuntimeOptions>;

  constructor(
    config: GatewayConfig,
    backend: BackendAdapter,
    sessionManager: SessionManager,
    markdownConfigLoader: MarkdownConfigLoader,
    systemPromptAssembler: SystemPromptAssembler,
    hookManager: HookManager,
    options: AgentRuntimeOptions = {},
  ) {
    this.#config = config;
    this.#backend = backend;
    this.#sessions = sessionManager;
    this.#loader = markdownConfigLoader;
    this.#assembler = systemPromptAssembler;
    this.#hooks = hookManager;
    this.#options = { log: console, sleep: delay, ...options };
  }

  /** Rejects with `RunLeft` if the run continues in a daemon. */
  async process(event: GatewayEvent, observer: RunObserver = {}): Promise<EventResult> {
    const { channelId, messageId, userId } = event;
    const facts = { channelId, messageId, userId };
    await this.#hooks.run('beforeRun', facts);
    const result = await this.#run(event, observer);
    const outcome = result.error === undefined ? 'answered' : 'failed';
    await this.#hooks.run('afterRun', { ...facts, outcome });
    return result;
  }

  async #run(event: GatewayEvent, observer: RunObserver): Promise<EventResult> {
    const { channelId } = event;
    const systemPrompt = this.#assembler.assemble(await this.#loader.load());
    const resumed = await this.#sessions.get(channelId, this.#backend.name());
    if (observer.signal?.aborted) {
      return { error: STOPPED, targetChannelId: channelId, offerRetry: false };
    }
    await observer.agentStarts?.();
    const result = await this.#withRetry(event, observer, () =>
      this.#execute(promptOf(event), systemPrompt, resumed, observer),
    );
    const isLost = resumed !== undefined && isSessionError(result);
    await this.#keepSession(channelId, result.sessionId, isLost ? resumed : undefined);
    const mapped = toEventResult(result, channelId);
    if (!result.isError) return mapped;
    if (observer.signal?.aborted) return { ...mapped, error: STOPPED, offerRetry: false };
    const offerRetry = isLost || (result.failure?.isTransient ?? true);
    return { ...mapped, error: mapped.error ?? 'The agent failed without a message.', offerRetry };
  }

  /** Retries transient failures, but only while the agent provably started no tool. */
  #withRetry(
    { channelId, messageId }: GatewayEvent,
    { onRetry, signal }: RunObserver,
    act: () => Promise<Attempt>,
  ): Promise<Attempt> {
    const { log, sleep } = this.#options;
    return withRetry(act, {
      attempts: this.#config.retries,
      baseMs: DEFAULT_RETRY.baseMs,
      sleep,
      signal,
      isTransient: (result) =>
        result.failure?.isTransient === true &&
        !result.failure.mayHaveActed &&
        !isSessionError(result),
      onRetry: (result, attempt, pauseMs) => {
        log.warn(
          `Message ${messageId} in ${channelId} failed: ${result.responseText} Retrying in ${pauseMs} ms (${attempt} of ${this.#config.retries}).`,
        );
        onRetry?.(attempt);
      },
    });
  }

  /** An adapter that throws may have started the agent. */
  async #execute(
    prompt: string,
    systemPrompt: string,
    sessionId: string | undefined,
    { onStream, onEvent, signal }: RunObserver,
  ): Promise<Attempt> {
    if (signal?.aborted) return { isError: true, responseText: STOPPED };
    let failure: BackendFailure | undefined;
    const onFailure = (known: BackendFailure) => {
      failure = known;
    };
    const controls = { onFailure, onEvent, signal };
    const input = [prompt, systemPrompt, sessionId, onStream, controls] as const;
    try {
      return { ...(await this.#backend.execute(...input)), failure };
    } catch (error) {
      if (error instanceof RunLeft) throw error;
      const responseText = error instanceof Error ? error.message : String(error);
      return { isError: true, responseText };
    }
  }

  /**
   * Stores the session for the next message; removes one that the agent could not continue, so the next starts fresh.
   */
  async #keepSession(
    channelId: string,
    sessionId: string | undefined,
    lost: string | undefined,
  ): Promise<void> {
    const backend = this.#backend.name();
    if (lost !== undefined) await this.#sessions.remove(channelId, backend);
    if (sessionId === undefined || sessionId === lost) return;
    await this.#sessions.set(channelId, backend, sessionId);
  }
}

/** The agent learns of attached files, whose content is not downloaded. */
function promptOf({ text, files }: GatewayEvent): string {
  if (files.length === 0) return text;
  const names = files.map(
    ({ name, mediaType, bytes }) => `- ${name} (${mediaType}, ${bytes} bytes)`,
  );
  return `${text}\n\nFiles attached in the chat, which you cannot read:\n${names.join('\n')}`;
}

/** The result of a backend as a result of the gateway. */
export function toEventResult(result: BackendEventResult, targetChannelId: string): EventResult {
  if (result.isError) return { error: result.responseText, targetChannelId };
  return { responseText: result.responseText, targetChannelId, sessionId: result.sessionId };
}

/** True if an agent failed because it could not continue its session. */
function isSessionError({ isError, responseText, failure }: Attempt): boolean {
  if (!isError) return false;
  return failure?.code === 'session_not_found' || SESSION_ERROR.test(responseText ?? '');
}
