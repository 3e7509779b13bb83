import type { Baton } from '@baton/agents/registry/baton';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { loadSettings } from '@baton/config/settings';
import type { AgentRun, Backend, Conversation, RunHooks } from '@baton/engine/definition/backend';
import { confinement } from '@baton/process/isolation/isolation';
import type { McpServer, RunRequest } from '@baton/protocol';
import { addMcpServers } from './add-mcp-servers.ts';
import { withAttachments } from './attachment-files.ts';
import { projectReader, withNamedFiles } from './named-files.ts';

export type AgentOptions = {
  baton: Baton;
  client: BatonClient;
  mcpServers: Readonly<Record<string, McpServer>>;
  /** Folder of the spools with events that the daemon has not confirmed. */
  spoolFolder: string;
};

export type TaskHooks = Required<Pick<RunHooks, 'signal' | 'onPrinted'>> & {
  /** Folder for the files attached to the prompt. */
  attached: string;
  /** Called right before the agent gets the prompt. The agent starts only after the promise resolves. */
  onStarting(): Promise<void>;
};

/** The agent of an executor, which may be kept ready from one task to the next. */
export class Agent {
  #options: AgentOptions;
  #conversation: Conversation | undefined;
  /** The isolation and the permission mode that it was opened with. */
  #openedWith = '';
  #hooks: TaskHooks | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Runs the prompt of a task; throws if the agent cannot run the request. */
  async run(start: ExecutorStart, hooks: TaskHooks): Promise<AgentRun> {
    this.#hooks = hooks;
    const { client, mcpServers, spoolFolder, baton } = this.#options;
    const isolation = { ...start.isolation, hidden: [...start.isolation.hidden, spoolFolder] };
    const readProject = projectReader(isolation);
    const settings = loadSettings({ program: 'baton', cwd: start.session.cwd, readProject });
    const backend = await baton.withSettings(settings).load(baton.backend(start.task.backend));
    await this.#closeUnlessReusable(start);
    const isKept = this.#conversation !== undefined;
    const named = addMcpServers(runRequestOf(start, isKept), mcpServers, backend.capabilities);
    const asked = withNamedFiles(named, start.session.cwd, isolation);
    const { prompt, images, ...options } = await withAttachments(client, asked, {
      ids: start.continuation === null ? start.task.attachments : [],
      takesImages: backend.capabilities.features.images,
      folder: hooks.attached,
    });
    const ofRun = {
      signal: hooks.signal,
      runId: start.task.task_id,
      ...(images ? { images } : {}),
    };
    const confine = await confinement(isolation, {
      backends: baton.backends(),
      backend: start.task.backend,
      readable: hooks.attached,
    });
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

  /** Stops the agent and every process that it started. */
  async close(): Promise<void> {
    await this.#conversation?.close();
    this.#conversation = undefined;
  }

  /** Closes an agent that its next task needs with other isolation, or in the mode that its last task was widened to. */
  async #closeUnlessReusable({ isolation, keep_open_ms, task }: ExecutorStart): Promise<void> {
    const wanted = JSON.stringify([isolation, task.permission_mode]);
    if (keep_open_ms === 0 || wanted !== this.#openedWith) await this.close();
    this.#openedWith = wanted;
  }

  /** Output belongs to the task that runs at that moment. */
  #print: RunHooks['onPrinted'] = (line, stream) => this.#hooks?.onPrinted?.(line, stream);
}

/** The request for a task. An agent that was kept ready needs no hand-over. */
function runRequestOf(start: ExecutorStart, isKept: boolean): RunRequest {
  const { task, session, resume, fork, hand_over, continuation } = start;
  const prompt = continuation ?? task.full_prompt;
  const isTold = hand_over !== null && !isKept;
  return {
    ...task.options,
    prompt: isTold ? `${hand_over}\n\n${prompt}` : prompt,
    cwd: session.cwd,
    permissionMode: task.permission_mode,
    ...(task.model === null ? {} : { model: task.model }),
    ...(resume === null ? {} : { resume }),
    ...(fork ? { fork } : {}),
  };
}
