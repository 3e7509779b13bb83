type Environment = Readonly<Record<string, string | undefined>>;

/** Fields of a server that is a command to start. */
type CommandFields = {
  /** The value of `type`, for an agent that wants one. */
  type?: string;
  /** The field of the command, or of a list with the command and its arguments. */
  command: string;
  /** The field of the arguments; without it they follow the command in the same list. */
  args?: string;
  /** The field of the environment variables. */
  env: string;
};

/** Fields of a server that is an address to connect to. */
type RemoteFields = {
  /** The value of `type`, for an agent that wants one. */
  type?: string;
  /** The field of the address. */
  url: string;
  /** The field that older releases had for the address, which is still read. */
  formerUrl?: string;
  headers: string;
};

/** The file in which an agent keeps the MCP servers of its user, for `baton mcp`. */
export type McpFile = {
  /** Returns the path of the file, which need not exist. */
  path(env: Environment): Promise<string>;
  /** The top-level key of the servers, which are in an object by name. */
  key: string;
  /** `json` allows neither comments nor trailing commas, `json-comments` comments, `jsonc` both. */
  format: 'json' | 'json-comments' | 'jsonc' | 'toml';
  stdio: CommandFields;
  http: RemoteFields;
  /** Omitted for an agent that does not support SSE. */
  sse?: RemoteFields;
};

const COMMAND: CommandFields = { command: 'command', args: 'args', env: 'env' };
const REMOTE: RemoteFields = { url: 'url', headers: 'headers' };

/** The fields of most agents, which tell the kinds of servers apart by `type`. */
export const TYPED_SERVERS = {
  stdio: { type: 'stdio', ...COMMAND },
  http: { type: 'http', ...REMOTE },
  sse: { type: 'sse', ...REMOTE },
};

/** The fields of agents without a `type`: they detect the protocol of an address themselves. */
export const UNTYPED_SERVERS = { stdio: COMMAND, http: REMOTE, sse: REMOTE };
