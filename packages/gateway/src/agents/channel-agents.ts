import { createHash } from 'node:crypto';
import { type BackendEventResult, supportedOptions, type WarningLog } from '@baton/contracts';
import type {
  Host,
  HostedRun,
  HostRequest,
  ImageInput,
  RunOptions,
  WorkspaceRecord,
  WorkspaceRequest,
} from '@baton/protocol';
import type { AgentList } from '../config/agent-list.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import { type RunWatcher, readRun } from './read-run.ts';
import type { RunReport } from './run-report.ts';
import { HOST_STYLE, type RunStyle } from './run-style.ts';

/** A daemon that takes longer than this to take a message is not there. */
const SLOW_MS = 5000;

/** The agent of a channel, and its model; the agent's default model if omitted. */
export type AgentChoice = { readonly backend: string; readonly model?: string | undefined };

/** The prompt of a message, and the session to continue. */
export type Prompt = {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly sessionId: string | undefined;
};

/** Context of a message for its run. */
export type MessageContext = RunWatcher & {
  /** The same after a restart, so that a daemon runs a message once. */
  readonly turnId: string;
  /** Identifies the conversation that the message begins, if the channel has none. */
  readonly conversationId: string;
  readonly title: string;
  readonly images: readonly ImageInput[];
  /** The worktree of the channel; the folder of the gateway if omitted. */
  readonly workspace?: WorkspaceRequest | undefined;
  /** Called when the place of the agent is known. */
  readonly onPlaced?: ((workspace: WorkspaceRecord) => void) | undefined;
};

export type ChannelAgentsOptions = {
  host: Host;
  list: AgentList;
  config: GatewayConfig;
  log: WarningLog;
  /** Limits and reports of the runs; those of any agent by default. */
  style?: RunStyle | undefined;
  /** Returns the configured program of an agent in this process; its name by default. */
  programOf?: ((backend: string) => string | undefined) | undefined;
};

/** The agents that the gateway can run, in its host. */
export class ChannelAgents {
  /** The URL of the daemon that runs them; undefined in this process. */
  readonly place: string | undefined;
  /** The names that users can choose. */
  readonly names: readonly string[];
  #options: ChannelAgentsOptions;
  #style: RunStyle;

  constructor(options: ChannelAgentsOptions) {
    this.#options = options;
    this.#style = options.style ?? HOST_STYLE;
    this.place = options.host.url;
    this.names = options.list.names;
  }

  /** Returns the name of the agent that a user has typed; throws if there is none. */
  nameOf(text: string): string {
    return this.#options.list.nameOf(text);
  }

  /**
   * Returns the name under which the sessions of an agent are kept. Another daemon has other sessions, and the gateway's
   * own process has those of the agents.
   */
  sessionName(backend: string): string {
    return this.place === undefined ? backend : `${backend}@${this.place}`;
  }

  /** Returns whether the program of an agent can be started, and its path or name. */
  async validate(backend: string): Promise<{ isInstalled: boolean; path: string }> {
    const { host, config, programOf } = this.#options;
    const { installed, path } = await host.probe(backend, config.workingDir);
    const program = path ?? programOf?.(backend) ?? backend;
    return { isInstalled: installed, path: this.place ?? program };
  }

  /** Runs a prompt once; undefined if the gateway stops and a daemon keeps the run. */
  run(
    choice: AgentChoice,
    prompt: Prompt,
    message: MessageContext,
  ): Promise<BackendEventResult | undefined> {
    const { config, log } = this.#options;
    const { ask, see, signal, left } = message;
    const report = this.#style.report(choice.backend);
    return readRun({
      ...{ report, ask, see, signal, log },
      launch: () => this.#launch(this.#request(choice, prompt, message, report)),
      workMs: this.#style.workMs(config),
      left: this.place === undefined ? undefined : left,
    });
  }

  async #launch(request: HostRequest): Promise<HostedRun> {
    const { host, log } = this.#options;
    const { place } = this;
    if (place === undefined) return host.launch(request);
    const timer = setTimeout(
      () => log.warn(`The daemon at ${place} does not answer. A message waits for it.`),
      SLOW_MS,
    );
    const onConnection: HostRequest['onConnection'] = (state) =>
      log.warn(`The daemon at ${place} ${state === 'lost' ? 'does not answer' : 'answers again'}.`);
    return host.launch({ ...request, onConnection }).finally(() => clearTimeout(timer));
  }

  #request(
    choice: AgentChoice,
    { prompt, systemPrompt, sessionId }: Prompt,
    message: MessageContext,
    { onLaunch, onPrinted }: RunReport,
  ): HostRequest {
    const { turnId, conversationId, title, images, signal, workspace } = message;
    const { backend, model } = choice;
    const { config } = this.#options;
    const { workingDir, permissionMode, backendMaxTurns, allowedTools } = config;
    const options = this.#supported(backend, {
      ...{ cwd: workingDir, permissionMode, maxTurns: backendMaxTurns, systemPrompt },
      ...this.#style.options(config),
      ...(allowedTools.length > 0 ? { tools: { allowed: [...allowedTools] } } : {}),
      ...(model === undefined ? {} : { model }),
      ...(images.length > 0 ? { images: [...images] } : {}),
    });
    const hooks = { signal, onLaunch, onPrinted, onWorkspace: this.#workspaceListener(message) };
    const request = { ...options, ...hooks, backend, prompt, session: sessionId, workspace };
    if (this.place === undefined) return request;
    // A message that is run again after a restart joins its run, in the session that it began.
    const newSession = sessionId === undefined ? uuidOf(conversationId) : undefined;
    return { ...request, newSession, taskId: uuidOf(turnId), title };
  }

  #workspaceListener({ onPlaced }: MessageContext): HostRequest['onWorkspace'] {
    return (event) => {
      if (event.type === 'workspace.updated') onPlaced?.(event.workspace);
      if (event.type === 'notice' && event.level === 'warning') {
        this.#options.log.warn(event.message);
      }
    };
  }

  /** Options that the agent lacks are ignored with a warning: the gateway has one configuration for all agents. */
  #supported(backend: string, options: RunOptions): RunOptions {
    const { list, log } = this.#options;
    const agent = list.describe(backend);
    return supportedOptions(agent, options, (name) =>
      log.warn(this.#style.ignored(agent.label, name)),
    );
  }
}

/** The same UUID for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, `$1-$2-8$3-${variant}$4-$5`);
}
