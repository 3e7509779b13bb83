import type { AgentRun, LaunchRequest } from '../agent-run.ts';
import type { Capabilities } from '../capabilities.ts';
import type { AgentEvent, EventOf } from '../event.ts';
import type { FolderTrust } from '../folder-trust.ts';
import type { OutputSchema, StructuredOf } from '../output-schema.ts';
import type { Probe } from '../probe.ts';
import type { RunResult } from '../run-result.ts';
import type { Usage } from '../usage.ts';
import type { WorkspaceRequest } from '../workspace/workspace-record.ts';

/** A run request for a host. With the ids that the caller chooses, launching it twice runs it once. */
export type HostRequest<Schema extends OutputSchema = OutputSchema> = LaunchRequest<Schema> & {
  /** The session to continue. A host without a store has only the sessions of the agents themselves. */
  session?: string | undefined;
  /** The id of a new session, a UUID, if `session` is not given; a host without a store ignores it. */
  newSession?: string | undefined;
  /** The title of a new session; its first prompt by default. */
  title?: string | undefined;
  /** The id of the task, a UUID. A second launch with the same id joins the first. */
  taskId?: string | undefined;
  /** The user on whose behalf a daemon runs the task. */
  by?: string | undefined;
  /** The command of a compiled agent, which replaces the backend; a daemon rejects it. */
  command?: readonly string[] | undefined;
  /** True if the agent may use the settings of the folder; by default, the stored decision counts. */
  trusted?: boolean | undefined;
  /** The workspace for a new session; the folder itself by default. */
  workspace?: WorkspaceRequest | undefined;
  /** Called with events about the workspace of the run, in order. */
  onWorkspace?: ((event: WorkspaceEvent) => void) | undefined;
  /** Called with the command line of the agent, if it runs in this process. */
  onLaunch?: ((command: LaunchedCommand) => void) | undefined;
  /** Called with every line that the agent prints, if it runs in this process. */
  onPrinted?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Called when the connection to a daemon is lost, and when it is back. */
  onConnection?: ((state: 'lost' | 'back') => void) | undefined;
};

type WorkspaceEventType =
  | 'workspace.updated'
  | 'checkpoint.created'
  | 'changes.updated'
  | 'notice'
  | 'tool.started'
  | 'tool.updated'
  | 'tool.completed';
type Body<Event> = Event extends AgentEvent ? Omit<Event, 'seq' | 'time' | 'runId'> : never;

/** An event about the files that an agent works with, or of the script that prepares them. */
export type WorkspaceEvent = Body<EventOf<WorkspaceEventType>>;

/** The command line of an agent, without secrets. */
export type LaunchedCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  transport: string;
};

/** Identity and capabilities of a backend. */
export type BackendFacts = { id: string; label: string; capabilities: Capabilities };

/** A run and the place where its host keeps it. */
export type HostedRun<Run extends AgentRun = AgentRun> = {
  readonly run: Run;
  /** The session of the host; undefined if the host has no store. */
  readonly sessionId: string | undefined;
  /** Settles once the files of the turn are kept; later than the result of the run. Undefined if the host keeps none here. */
  readonly kept?: Promise<void> | undefined;
  /** Stops following the run. It continues if its host outlives this program, and is cancelled otherwise. */
  leave(): void;
};

/** The ids of a run in a host that keeps runs. */
export type RunIds = { sessionId: string; taskId: string };

/** Callbacks of a program that follows a run which another one has launched. */
export type JoinHooks = Pick<HostRequest, 'onWorkspace'>;

/** State of a run that this program does not follow. */
export type FoundRun =
  /** No agent has seen the prompt. */
  | { state: 'not_started' }
  | { state: 'running' }
  | { state: 'ended' }
  /** Its process is gone. With a native session, another prompt in its session can continue it. */
  | { state: 'interrupted'; canContinue: boolean; usage?: Usage | undefined };

/**
 * A place that runs agents: this process, or a daemon. Commands, chains, the gateway and compiled agents start runs only
 * through a host, so that settings, credentials, rules and limits apply in one way.
 */
export interface Host {
  /** The URL of the daemon; undefined if the agents run in this process. */
  readonly url: string | undefined;
  /** Describes a backend of the host; rejects with `backend_unknown` if it has none of this name. */
  describe(backend: string): Promise<BackendFacts>;
  /** Looks for the program and the credentials of an agent, without starting it. */
  probe(backend: string, cwd: string): Promise<Probe>;
  /** Rejects with a `BatonError` if the request cannot run here: unknown or missing agent, unsupported option. */
  check(request: Omit<HostRequest, 'prompt'>): Promise<void>;
  /** Starts a run; rejects only if the request is invalid. */
  launch<const Schema extends OutputSchema = OutputSchema>(
    request: HostRequest<Schema>,
  ): Promise<HostedRun<AgentRun<StructuredOf<Schema>>>>;
  /** Follows a run that the host keeps. Leaving its loop does not stop it. */
  join(ids: RunIds, hooks?: JoinHooks): Promise<HostedRun>;
  /** Finds the state of a run that the host keeps. */
  find(ids: RunIds): Promise<FoundRun>;
  /** Stops a run that no program follows, and returns its result. */
  stop(ids: RunIds, reason?: string): Promise<RunResult>;
  /** Returns the trust of an agent in the settings of a folder. */
  trustOf(request: Pick<HostRequest, 'backend' | 'cwd' | 'env'>): Promise<FolderTrust>;
  /** Stores a user's decision to trust a folder or not. */
  keepTrust(folder: string, trusted: boolean): Promise<void>;
}
