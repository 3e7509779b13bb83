import type { BackendAdapter, StreamCallback, WarningLog } from '@baton/contracts';
import type { delay } from '@baton/protocol';
import type { GatewayConfig } from '../config/load-config.ts';
import type { HookManager } from '../hooks/hook-manager.ts';
import type { MarkdownConfigLoader } from '../prompt/markdown-config-loader.ts';
import type { SystemPromptAssembler } from '../prompt/system-prompt-assembler.ts';
import type { EventResult, GatewayEvent } from '../queue/gateway-event.ts';
import { type MessageObserver, MessageRuntime, type SessionManager } from './message-runtime.ts';

export type AdapterRuntimeOptions = {
  log?: WarningLog;
  /** Pauses between retries. */
  sleep?: typeof delay;
};

export type RunObserver = MessageObserver & {
  /** More text of the answer. Without it the agent does not stream, and fewer failures can be retried. */
  onStream?: StreamCallback | undefined;
};

/** The runtime of the original gateway: a view of `MessageRuntime` that runs messages with a `BackendAdapter`. */
export class AdapterRuntime {
  #backend: BackendAdapter;
  #messages: MessageRuntime;

  constructor(
    config: GatewayConfig,
    backend: BackendAdapter,
    sessions: SessionManager,
    loader: MarkdownConfigLoader,
    assembler: SystemPromptAssembler,
    hooks: HookManager,
    { log = console, sleep }: AdapterRuntimeOptions = {},
  ) {
    this.#backend = backend;
    const parts = { config, sessions, loader, assembler, hooks };
    this.#messages = new MessageRuntime({ ...parts, log, sleep });
  }

  /** Runs a message with the agent, in the session of its channel. */
  process(event: GatewayEvent, observer: RunObserver = {}): Promise<EventResult> {
    const { onStream, signal } = observer;
    const backend = this.#backend;
    return this.#messages.process(
      event,
      {
        sessionName: backend.name(),
        run: ({ prompt, systemPrompt, sessionId }) =>
          backend.execute(prompt, systemPrompt, sessionId, onStream, { signal }),
      },
      observer,
    );
  }
}
