import type { BackendEventResult, WarningLog } from '@baton/contracts';
import { DEFAULT_RETRY, delay, withRetry } from '@baton/protocol';
import type { GatewaySessions } from '@baton/store';
import type { Prompt } from '../agents/channel-agents.ts';
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

type MessageRuntimeOptions = {
  config: Pick<GatewayConfig, 'retries'>;
  sessions: SessionManager;
  loader: MarkdownConfigLoader;
  assembler: SystemPromptAssembler;
  hooks: HookManager;
  log: WarningLog;
  /** Pauses between retries. */
  sleep?: typeof delay | undefined;
};

/** The result of a prompt; undefined if its run continues in a daemon. */
type Attempt = BackendEventResult | undefined;

/** The agent of a message. */
type MessageAgent<Result extends Attempt = Attempt> = {
  /** The name under which its sessions are kept. */
  readonly sessionName: string;
  /** Runs a prompt once. */
  run(prompt: Prompt): Promise<Result>;
};

/** Callbacks of a message's caller, and its signal to stop the run. */
export type MessageObserver = {
  signal?: AbortSignal | undefined;
  /** Awaited before the agent gets the prompt for the first time. */
  agentStarts?(): Promise<void>;
  /** The prompt is about to run again: the text streamed so far is void. */
  onRetry?(attempt: number): void;
};

/** Runs messages in the sessions of their channels: hooks, system prompt, retries, and the result for the chat. */
export class MessageRuntime {
  #options: MessageRuntimeOptions;

  constructor(options: MessageRuntimeOptions) {
    this.#options = options;
  }

  /** Runs a message; undefined if its run continues in a daemon. */
  process(
    event: GatewayEvent,
    agent: MessageAgent<BackendEventResult>,
    observer: MessageObserver,
  ): Promise<EventResult>;
  process(
    event: GatewayEvent,
    agent: MessageAgent,
    observer: MessageObserver,
  ): Promise<EventResult | undefined>;
  async process(
    event: GatewayEvent,
    agent: MessageAgent,
    observer: MessageObserver,
  ): Promise<EventResult | undefined> {
    const { hooks } = this.#options;
    const { channelId, messageId, userId } = event;
    const facts = { channelId, messageId, userId };
    await hooks.run('beforeRun', facts);
    const result = await this.#run(event, agent, observer);
    if (!result) return undefined;
    const outcome = result.error === undefined ? 'answered' : 'failed';
    await hooks.run('afterRun', { ...facts, outcome });
    return result;
  }

  async #run(
    event: GatewayEvent,
    agent: MessageAgent,
    observer: MessageObserver,
  ): Promise<EventResult | undefined> {
    const { sessions, loader, assembler } = this.#options;
    const { channelId } = event;
    const { signal } = observer;
    const systemPrompt = assembler.assemble(await loader.load());
    const resumed = await sessions.get(channelId, agent.sessionName);
    if (signal?.aborted) return { error: STOPPED, targetChannelId: channelId, offerRetry: false };
    await observer.agentStarts?.();
    const prompt = { prompt: promptOf(event), systemPrompt, sessionId: resumed };
    const attempt = () => attemptAt(agent, prompt, signal);
    const result = await this.#withRetry(event, observer, attempt);
    if (!result) return undefined;
    const isLost = resumed !== undefined && isSessionError(result);
    await this.#keepSession(channelId, agent.sessionName, {
      sessionId: result.sessionId,
      lost: isLost ? resumed : undefined,
    });
    const mapped = toEventResult(result, channelId);
    if (!result.isError) return mapped;
    if (signal?.aborted) return { ...mapped, error: STOPPED, offerRetry: false };
    const offerRetry = isLost || (result.failure?.isTransient ?? true);
    return { ...mapped, error: mapped.error ?? 'The agent failed without a message.', offerRetry };
  }

  /** Retries transient failures, but only while the agent provably started no tool. */
  #withRetry(
    { channelId, messageId }: GatewayEvent,
    { onRetry, signal }: MessageObserver,
    act: () => Promise<Attempt>,
  ): Promise<Attempt> {
    const { config, log, sleep = delay } = this.#options;
    const { retries } = config;
    return withRetry(act, {
      attempts: retries,
      baseMs: DEFAULT_RETRY.baseMs,
      sleep,
      signal,
      isTransient: (result) =>
        result?.failure?.isTransient === true &&
        !result.failure.mayHaveActed &&
        !isSessionError(result),
      onRetry: (result, attempt, pauseMs) => {
        log.warn(
          `Message ${messageId} in ${channelId} failed: ${result?.responseText} Retrying in ${pauseMs} ms (${attempt} of ${retries}).`,
        );
        onRetry?.(attempt);
      },
    });
  }

  /**
   * Stores the session for the next message; removes one that the agent could not continue, so the next starts fresh.
   */
  async #keepSession(
    channelId: string,
    name: string,
    { sessionId, lost }: { sessionId: string | undefined; lost: string | undefined },
  ): Promise<void> {
    const { sessions } = this.#options;
    if (lost !== undefined) await sessions.remove(channelId, name);
    if (sessionId === undefined || sessionId === lost) return;
    await sessions.set(channelId, name, sessionId);
  }
}

/** An agent that throws may have acted. */
async function attemptAt(
  agent: MessageAgent,
  prompt: Prompt,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  if (signal?.aborted) return { isError: true, responseText: STOPPED };
  try {
    return await agent.run(prompt);
  } catch (error) {
    const responseText = error instanceof Error ? error.message : String(error);
    return { isError: true, responseText };
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
function isSessionError({ isError, responseText, failure }: BackendEventResult): boolean {
  if (!isError) return false;
  return failure?.code === 'session_not_found' || SESSION_ERROR.test(responseText ?? '');
}
