type ErrorFacts = {
  /** Whether the same request may succeed when it is simply sent again later. */
  readonly retryable: boolean;
  /** What it means, for the reader of docs/errors.md. */
  readonly meaning: string;
  /** What the user can do, used when the place that raised it knows nothing better. */
  readonly hint: string;
};

/** Every error code Baton uses, with what it means and what to do about it. */
export const ERROR_CODES = {
  usage: {
    retryable: false,
    meaning: 'The caller asked for something that makes no sense.',
    hint: 'Correct what the message names.',
  },
  config_invalid: {
    retryable: false,
    meaning: 'A configuration file or setting cannot be used.',
    hint: 'Correct the value at the place that the message names.',
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
    meaning: "The agent's program is not installed, or not where it was looked for.",
    hint: 'Install the agent or point Baton at its binary; "baton doctor" prints how.',
  },
  backend_not_executable: {
    retryable: false,
    meaning: "The agent's program exists but cannot be executed.",
    hint: 'Check that the path is an executable file made for this machine.',
  },
  capability_missing: {
    retryable: false,
    meaning: 'The backend cannot do what was asked of it.',
    hint: 'Drop the option or choose a backend that has the capability.',
  },
  auth_missing: {
    retryable: false,
    meaning: 'The agent has no credentials, or the provider refused them.',
    hint: 'Log in with the agent itself or set its API key.',
  },
  access_denied: {
    retryable: false,
    meaning: 'The provider knows the credentials but refuses the request.',
    hint: 'Check what the account may use.',
  },
  root_refused: {
    retryable: false,
    meaning: 'The agent refuses to bypass permissions when it runs as root.',
    hint: 'Run as another user, or use permission mode "ask" or "auto".',
  },
  trust_required: {
    retryable: false,
    meaning: 'The agent refuses to work in a directory that it does not trust.',
    hint: 'Run inside a git repository, or trust the directory in the agent itself.',
  },
  rate_limited: {
    retryable: true,
    meaning: 'The provider asks to slow down.',
    hint: 'Wait and try again.',
  },
  overloaded: {
    retryable: true,
    meaning: 'The provider is overloaded.',
    hint: 'Try again later or choose another model.',
  },
  provider_error: {
    retryable: true,
    meaning: 'The provider failed or its answer broke off.',
    hint: 'Try again; if it stays, look at the status page of the provider.',
  },
  network_unreachable: {
    retryable: true,
    meaning: 'The provider could not be reached.',
    hint: 'Check the network and the address of the provider.',
  },
  quota_exhausted: {
    retryable: false,
    meaning: 'The account has no credit or quota left.',
    hint: 'Add credit or use another account.',
  },
  context_too_long: {
    retryable: false,
    meaning: 'The conversation no longer fits into the context of the model.',
    hint: 'Start a new session, compact this one, or choose a model with a larger context.',
  },
  model_not_found: {
    retryable: false,
    meaning: 'The model does not exist or the account may not use it.',
    hint: 'Choose another model.',
  },
  request_rejected: {
    retryable: false,
    meaning: 'The provider rejected the request as malformed.',
    hint: 'Read the message; an option or the session may be at fault.',
  },
  refused: {
    retryable: false,
    meaning: 'The model declined to answer.',
    hint: 'Rephrase the prompt.',
  },
  session_not_found: {
    retryable: false,
    meaning: 'There is no such session to resume.',
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
    hint: 'Run the command of the MCP server by hand to see why.',
  },
  permission_denied: {
    retryable: false,
    meaning: 'A person or a policy refused what the run could not do without.',
    hint: 'Allow it, or ask for something else.',
  },
  timed_out: {
    retryable: true,
    meaning: 'The run took longer than it was allowed to.',
    hint: 'Give it more time with a larger total timeout.',
  },
  stalled: {
    retryable: true,
    meaning: 'The agent gave no sign of life for longer than it was allowed to.',
    hint: 'Look at the last event; raise the start or idle timeout if the agent was busy.',
  },
  consumer_stalled: {
    retryable: false,
    meaning: 'The program that reads the events stopped reading them.',
    hint: 'Read the events until the run ends, or cancel the run.',
  },
  interrupted: {
    retryable: false,
    meaning: 'The run was stopped before it was finished.',
    hint: 'Resume the session to go on.',
  },
  agent_crashed: {
    retryable: true,
    meaning: 'The agent ended without a result.',
    hint: "Read the agent's own words in the message; run it by hand if they say too little.",
  },
  agent_failed: {
    retryable: false,
    meaning: 'The agent reported a failure of its own.',
    hint: 'The message comes from the agent itself; run it by hand if that says too little.',
  },
  output_truncated: {
    retryable: true,
    meaning: 'The agent ended as if all was well, but its output breaks off.',
    hint: 'Use the live transport, which does not lose output.',
  },
  output_limit: {
    retryable: false,
    meaning: 'The answer is longer than the model may write.',
    hint: 'Ask for less at a time or raise the limit of the agent.',
  },
  output_unreadable: {
    retryable: false,
    meaning: 'Nothing the agent printed could be understood.',
    hint: 'Check that the binary is the agent and that its version is supported.',
  },
  schema_mismatch: {
    retryable: false,
    meaning: 'The answer does not match the JSON Schema that was asked for.',
    hint: 'Relax the schema or allow a corrective retry.',
  },
  budget_exceeded: {
    retryable: false,
    meaning: 'The run cost more than its budget.',
    hint: 'Raise the budget.',
  },
  max_turns: {
    retryable: false,
    meaning: 'The agent used all the turns it was allowed.',
    hint: 'Raise the number of turns.',
  },
  not_found: {
    retryable: false,
    meaning: 'There is nothing with that id, or not for this user.',
    hint: 'Check the id.',
  },
  conflict: {
    retryable: false,
    meaning: 'It cannot be done in the state that the session or task is in.',
    hint: 'Look at the state that the message names.',
  },
  lease_lost: {
    retryable: false,
    meaning: 'Another executor has the task, or it has ended.',
    hint: 'Nothing more to do here: what was reported before is kept.',
  },
  unauthenticated: {
    retryable: false,
    meaning: 'The daemon does not know who is asking.',
    hint: 'Log in, or give a token that is still good.',
  },
  forbidden: {
    retryable: false,
    meaning: 'The daemon knows who is asking, and that this is not for them.',
    hint: 'Ask an owner of the daemon for the right.',
  },
  too_many_requests: {
    retryable: true,
    meaning: 'The daemon was asked too often in a short time.',
    hint: 'Wait a moment and try again.',
  },
  daemon_unreachable: {
    retryable: true,
    meaning: 'The daemon does not answer.',
    hint: 'Check its address and that it is running.',
  },
  store_unavailable: {
    retryable: true,
    meaning: 'The database cannot be used.',
    hint: 'Check the address of the database and that it is running.',
  },
  store_damaged: {
    retryable: false,
    meaning: 'The file of the database is damaged, or is not a database.',
    hint: 'Stop the daemon, keep the file, and put a backup in its place (baton db backup makes them).',
  },
  internal: {
    retryable: false,
    meaning: 'Baton itself failed.',
    hint: 'Please report it, with the message and the events.',
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

export type BatonErrorOptions = { hint?: string; retryable?: boolean; cause?: unknown };

/** The one error class of Baton: a code to branch on, a sentence, and a hint that says what to do. */
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

  /** Tells a Baton error from any other, even one made by another copy of this package. */
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
