import { type ChildProcess, spawn } from 'node:child_process';
import { ownerMark } from './owner-mark.ts';
import { spawnError } from './spawn-error.ts';

/** Process to start, and callbacks for its output. */
export type SpawnRequest = {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The complete environment of the child; the marker is added to it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Unique among everything that runs: whatever carries this run's marker is killed with it. */
  runId: string;
  stdin: 'pipe' | 'none';
  /** True if it outlives this program, whose end kills every other process that it started. */
  mayOutlive?: boolean;
  /** Called for each line of stdout. */
  onLine(line: string): void;
  /** Called instead of `onLine` for a line of stdout that is too long to keep. */
  onLongLine?(head: string, bytes: number): void;
  onStderrLine?(line: string): void;
};

/** Prefix of the variable that names the owner of a run. */
export const OWNER_PREFIX = 'BATON_OWNER_';

/** Names the environment variable by which everything that a run started is found. */
export function markerOf({ runId }: Pick<SpawnRequest, 'runId'>): string {
  return `BATON_RUN_${nameOf(runId)}`;
}

function nameOf(runId: string): string {
  return runId.replace(/\W/g, '_');
}

/** Returns the variable with the owner of the run, by which its processes can be found after the owner was killed. */
function ownerOf({ runId, mayOutlive }: SpawnRequest): Record<string, string> {
  const mark = mayOutlive ? undefined : ownerMark();
  return mark === undefined ? {} : { [`${OWNER_PREFIX}${nameOf(runId)}`]: mark };
}

/** Starts the child in a new session. It has no pid if that failed; then its `error` event follows. */
export function startChild(request: SpawnRequest): ChildProcess {
  try {
    return spawn(request.file, request.args, {
      cwd: request.cwd,
      // The marker comes first, where a search through the environment meets it soonest. Some agents work in the folder
      // that PWD names, whatever their working directory is.
      env: { [markerOf(request)]: '1', ...ownerOf(request), ...request.env, PWD: request.cwd },
      stdio: [request.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    throw spawnError(error, request);
  }
}
