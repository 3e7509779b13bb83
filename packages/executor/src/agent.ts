import type { BatonClient, ExecutorStart } from '@baton/client';
import type { McpServer } from '@baton/protocol';
import {
  type AgentRun,
  type Backend,
  type Conversation,
  configuredBackend,
  loadSettings,
  type RunHooks,
} from '@baton/runtime';
import { withAttachments } from './attachments.ts';
import { confinement } from './isolation/isolation.ts';
import { withMcpServers } from './mcp-servers.ts';
import { runRequestOf } from './run-request.ts';

export type AgentOptions = {
  client: BatonClient;
  mcpServers: Readonly<Record<string, McpServer>>;
  /** Where executors keep what the daemon has not confirmed. */
  spoolFolder: string;
};

export type TaskHooks = Required<Pick<RunHooks, 'signal' | 'onPrinted'>> & {
  /** Where files that came with the prompt are put. */
  attached: string;
  /** Called right before the agent gets the prompt; nothing starts before it settles, nor when it fails. */
  onStarting(): Promise<void>;
};

/** The agent of an executor, which may be kept ready from one task to the next. */
export class Agent {
  #options: AgentOptions;
  #conversation: Conversation | undefined;
  /** The isolation that it was opened with. */
  #confinedBy = '';
  #hooks: TaskHooks | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Runs the prompt of a task; throws when that makes no sense to the agent. */
  async run(start: ExecutorStart, hooks: TaskHooks): Promise<AgentRun> {
    this.#hooks = hooks;
    const settings = loadSettings({ program: 'baton', cwd: start.session.cwd });
    const backend = await configuredBackend(start.task.backend, settings);
    await this.#letGoUnlessFit(start);
    const isKept = this.#conversation !== undefined;
    const { client, mcpServers, spoolFolder } = this.#options;
    const asked = withMcpServers(runRequestOf(start, isKept), mcpServers, backend.capabilities);
    const { prompt, images, ...options } = await withAttachments(client, asked, {
      ids: start.task.attachments,
      takesImages: backend.capabilities.features.images,
      folder: hooks.attached,
    });
    const ofRun = {
      signal: hooks.signal,
      runId: start.task.task_id,
      ...(images ? { images } : {}),
    };
    const isolation = { ...start.isolation, hidden: [...start.isolation.hidden, spoolFolder] };
    const confine = await confinement(isolation, start.task.backend, hooks.attached);
    const ofAgent = {
      ...options,
      ...(confine ? { confine } : {}),
      onPrinted: this.#print,
      maxProcesses: start.max_agent_processes,
    };
    await hooks.onStarting();
    if (start.keep_open_ms === 0) return backend.run({ ...ofAgent, ...ofRun, prompt });
    this.#conversation ??= await backend.open(ofAgent satisfies Parameters<Backend['open']>[0]);
    return this.#conversation.run(prompt, ofRun);
  }

  /** Ends it with everything that it started. */
  async close(): Promise<void> {
    await this.#conversation?.close();
    this.#conversation = undefined;
  }

  /** An agent that is confined in another way than its next task wants must not get it. */
  async #letGoUnlessFit({ isolation, keep_open_ms }: ExecutorStart): Promise<void> {
    const wanted = JSON.stringify(isolation);
    if (keep_open_ms === 0 || wanted !== this.#confinedBy) await this.close();
    this.#confinedBy = wanted;
  }

  /** What is printed belongs to the task of that moment. */
  #print: RunHooks['onPrinted'] = (line, stream) => this.#hooks?.onPrinted(line, stream);
}
