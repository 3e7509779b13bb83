type ErrorFacts = {
  /** True if the same request may succeed when it is sent again later. */
  readonly retryable: boolean;
  /** Meaning of the code, for docs/errors.md. */
  readonly meaning: string;
  /** Next step for the user, unless the error has a more specific hint. */
  readonly hint: string;
};

/** Every error code of Baton, with its meaning and the next step for the user. */
export const ERROR_CODES = {
  usage: {
    retryable: false,
    meaning: 'Invalid arguments or options.',
    hint: 'Fix the argument named in the message.',
  },
  config_invalid: {
    retryable: false,
    meaning: 'A configuration file or setting is invalid.',
    hint: 'Fix the value named in the message.',
  },
  cwd_missing: {
    retryable: false,
    meaning: 'The working directory does not exist or is not a directory.',
    hint: 'Create it, or choose another folder.',
  },
  backend_unknown: {
    retryable: false,
    meaning: 'No backend has that name.',
    hint: 'Run "baton backends" to see the names.',
  },
  backend_not_found: {
    retryable: false,
    meaning: "The agent's program is not installed or was not found.",
    hint: 'Install the agent or set the path of its binary; see "baton doctor".',
  },
  backend_not_executable: {
    retryable: false,
    meaning: "The agent's program exists but cannot be executed.",
    hint: 'Check that the path is an executable file for this platform.',
  },
  no_resources: {
    retryable: true,
    meaning: 'The machine is out of processes, file handles, memory or disk space.',
    hint: 'Free some, or retry with fewer concurrent runs. A daemon queues the task again.',
  },
  install_failed: {
    retryable: false,
    meaning: 'An agent could not be installed.',
    hint: 'Fix the cause named in the message and run the command again.',
  },
  capability_missing: {
    retryable: false,
    meaning: 'The backend does not support a requested option.',
    hint: 'Omit the option or choose a backend that supports it.',
  },
  auth_missing: {
    retryable: false,
    meaning: 'The agent has no credentials, or the provider rejected them.',
    hint: "Log in with the agent's own CLI or set its API key.",
  },
  access_denied: {
    retryable: false,
    meaning: 'The provider accepted the credentials but denied the request.',
    hint: 'Check the permissions of the account.',
  },
  root_refused: {
    retryable: false,
    meaning: 'The agent refuses to bypass permissions when it runs as root.',
    hint: 'Run as another user, or use permission mode "ask" or "auto".',
  },
  trust_required: {
    retryable: false,
    meaning: 'The agent does not trust the working directory.',
    hint: 'Run inside a git repository, or trust the directory in the agent itself.',
  },
  rate_limited: {
    retryable: true,
    meaning: "The provider's rate limit was reached.",
    hint: 'Wait and retry.',
  },
  overloaded: {
    retryable: true,
    meaning: 'The provider is overloaded.',
    hint: 'Retry later or choose another model.',
  },
  provider_error: {
    retryable: true,
    meaning: 'The provider failed or its response was cut off.',
    hint: "Retry; if the error persists, check the provider's status page.",
  },
  network_unreachable: {
    retryable: true,
    meaning: 'The provider could not be reached.',
    hint: "Check the network connection and the provider's URL.",
  },
  quota_exhausted: {
    retryable: false,
    meaning: 'The account has no credit or quota left.',
    hint: 'Add credit or use another account.',
  },
  context_too_long: {
    retryable: false,
    meaning: "The conversation exceeds the model's context window.",
    hint: 'Start a new session, compact this one, or choose a model with a larger context window.',
  },
  model_not_found: {
    retryable: false,
    meaning: 'The model does not exist or the account has no access to it.',
    hint: 'Choose another model.',
  },
  request_rejected: {
    retryable: false,
    meaning: 'The provider rejected the request as malformed.',
    hint: 'See the message; the cause may be an option or the session.',
  },
  refused: {
    retryable: false,
    meaning: 'The model declined to answer.',
    hint: 'Rephrase the prompt.',
  },
  session_not_found: {
    retryable: false,
    meaning: 'The session to resume does not exist.',
    hint: 'Check the session id and the directory it was started in.',
  },
  session_busy: {
    retryable: true,
    meaning: 'Another process is using the session.',
    hint: 'Wait until it ends, or fork the session.',
  },
  mcp_failed: {
    retryable: false,
    meaning: 'A required MCP server did not start.',
    hint: "Run the MCP server's command manually to see why.",
  },
  permission_denied: {
    retryable: false,
    meaning: 'A required permission was denied by a user or a policy.',
    hint: 'Allow it or change the prompt.',
  },
  approval_required: {
    retryable: false,
    meaning: 'The agent needs the approval of an operator outside of Baton.',
    hint: 'Have an operator approve it, then repeat the run.',
  },
  timed_out: {
    retryable: true,
    meaning: 'The run exceeded its total timeout.',
    hint: 'Increase the total timeout.',
  },
  stalled: {
    retryable: true,
    meaning: 'The agent produced no output within the startup or idle timeout.',
    hint: 'Check the last event; increase the startup or idle timeout if the agent was busy.',
  },
  consumer_stalled: {
    retryable: false,
    meaning: 'The events of the run are not being consumed.',
    hint: 'Iterate the events until the run ends, or call collect().',
  },
  interrupted: {
    retryable: false,
    meaning: 'The run was stopped before it finished.',
    hint: 'Resume the session to continue.',
  },
  agent_crashed: {
    retryable: true,
    meaning: 'The agent ended without a result.',
    hint: "See the agent's output in the message; run the agent manually for details.",
  },
  agent_failed: {
    retryable: false,
    meaning: 'The agent reported an error.',
    hint: "The message is the agent's own; run the agent manually for details.",
  },
  output_truncated: {
    retryable: true,
    meaning: 'The agent exited successfully, but its output is truncated.',
    hint: 'Use the live transport, which does not lose output.',
  },
  output_limit: {
    retryable: false,
    meaning: "The answer exceeds the model's output limit.",
    hint: "Ask for less at a time or increase the agent's output limit.",
  },
  output_unreadable: {
    retryable: false,
    meaning: "None of the agent's output was recognized.",
    hint: 'Check that the binary is the agent and its version is supported.',
  },
  schema_mismatch: {
    retryable: false,
    meaning: 'The answer does not match the JSON Schema.',
    hint: 'Relax the schema or enable the corrective retry.',
  },
  budget_exceeded: {
    retryable: false,
    meaning: 'The run exceeded its budget.',
    hint: 'Increase the budget.',
  },
  max_turns: {
    retryable: false,
    meaning: 'The agent reached the maximum number of turns.',
    hint: 'Increase the maximum number of turns.',
  },
  iterations_exhausted: {
    retryable: false,
    meaning: 'A loop of a chain reached its limit before it was complete.',
    hint: 'Increase the limit, or tell the agent to print ORCHESTRA_COMPLETE when it is done.',
  },
  not_found: {
    retryable: false,
    meaning: 'Nothing with this id exists, or the user has no access to it.',
    hint: 'Check the id.',
  },
  conflict: {
    retryable: false,
    meaning: 'The current state of the session or task does not allow this.',
    hint: 'Check the state named in the message.',
  },
  git_failed: {
    retryable: false,
    meaning: 'A Git operation on a workspace failed.',
    hint: "The message is Git's own; fix its cause in the repository and try again.",
  },
  setup_failed: {
    retryable: false,
    meaning: 'The setup script of a workspace failed, so the agent was not started.',
    hint: 'Fix the cause shown in the output of the script, then retry the task.',
  },
  cleanup_failed: {
    retryable: false,
    meaning: 'The cleanup script of a workspace failed, so the workspace was not removed.',
    hint: 'Fix the cause shown in the output of the script, or remove the workspace by force.',
  },
  too_large: {
    retryable: false,
    meaning: 'A folder, file or change exceeds a limit.',
    hint: 'Exclude generated files with .gitignore, or raise the limit named in the message.',
  },
  lease_lost: {
    retryable: false,
    meaning: 'The task belongs to another executor or has ended.',
    hint: 'No action needed: events reported before are kept.',
  },
  unauthenticated: {
    retryable: false,
    meaning: 'Authentication is required.',
    hint: 'Log in or send a valid token.',
  },
  forbidden: {
    retryable: false,
    meaning: 'The user has no permission to do this.',
    hint: 'Ask an owner of the daemon for permission.',
  },
  too_many_requests: {
    retryable: true,
    meaning: 'Too many requests.',
    hint: 'Wait a moment and retry.',
  },
  daemon_unreachable: {
    retryable: true,
    meaning: 'The daemon is unreachable.',
    hint: 'Check the URL and that the daemon is running.',
  },
  store_unavailable: {
    retryable: true,
    meaning: 'The database is unavailable.',
    hint: 'Check the database URL and that the database is running.',
  },
  store_damaged: {
    retryable: false,
    meaning: 'The database file is corrupt or is not a database.',
    hint: 'Stop the daemon, keep the file, and restore a backup made with "baton db backup".',
  },
  internal: {
    retryable: false,
    meaning: 'Internal error in Baton.',
    hint: 'Report it with the message and the events.',
  },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An error as it travels in events and results. */
export type ErrorInfo = {
  /** One of the known codes; a newer version may send others. */
  code: ErrorCode | (string & {});
  message: string;
  hint?: string | undefined;
  retryable: boolean;
};

const MARKER = Symbol.for('baton.error');

export type BatonErrorOptions = {
  hint?: string | undefined;
  retryable?: boolean | undefined;
  cause?: unknown;
};

/** The error class of Baton: a code to branch on, a message, and a hint with the next step. */
export class BatonError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly [MARKER] = true;

  constructor(code: ErrorCode, message: string, options: BatonErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BatonError';
    this.code = code;
    this.hint = options.hint ?? ERROR_CODES[code].hint;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
  }

  /** True for a Baton error, even one of another copy of this package. */
  static is(value: unknown): value is BatonError {
    return typeof value === 'object' && value !== null && MARKER in value;
  }

  toJSON(): ErrorInfo {
    return { code: this.code, message: this.message, hint: this.hint, retryable: this.retryable };
  }
}

/** Builds the plain form of an error from its code, with the defaults of that code. */
export function errorInfo(
  code: ErrorCode,
  message: string,
  options: Omit<BatonErrorOptions, 'cause'> = {},
): ErrorInfo {
  return {
    code,
    message,
    hint: options.hint ?? ERROR_CODES[code].hint,
    retryable: options.retryable ?? ERROR_CODES[code].retryable,
  };
}
