/** Outcomes of a run. */
export const OUTCOMES = ['done', 'failed', 'timed_out', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

type OutcomeWords = {
  /** The status of the runner's execution result. */
  readonly runnerStatus: 'done' | 'failed' | 'cancelled';
  /** `isError` of the gateway's backend adapter. */
  readonly isError: boolean;
  /** The exit code of the agent runtime interface. */
  readonly exitCode: number;
  /** The exit code of the `baton run` command. */
  readonly shellExitCode: number;
  /** The final state of a task in the daemon. */
  readonly taskStatus: 'COMPLETED' | 'FAILED' | 'CANCELLED';
};

/** The one table that maps an outcome to the value of each interface. */
export const OUTCOME_TABLE: Readonly<Record<Outcome, OutcomeWords>> = {
  done: {
    runnerStatus: 'done',
    isError: false,
    exitCode: 0,
    shellExitCode: 0,
    taskStatus: 'COMPLETED',
  },
  failed: {
    runnerStatus: 'failed',
    isError: true,
    exitCode: 1,
    shellExitCode: 1,
    taskStatus: 'FAILED',
  },
  timed_out: {
    runnerStatus: 'failed',
    isError: true,
    exitCode: 124,
    shellExitCode: 3,
    taskStatus: 'FAILED',
  },
  cancelled: {
    runnerStatus: 'cancelled',
    isError: true,
    exitCode: 130,
    shellExitCode: 130,
    taskStatus: 'CANCELLED',
  },
};
