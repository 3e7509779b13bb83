import type { FileChange, PlanEntry } from '../action.ts';

/** The action of a tool call in a conversation. */
export type ToolAction =
  | { type: 'FileRead'; path: string }
  | { type: 'FileEdit'; changes: FileChange[] }
  | { type: 'CommandRun'; command: string; cwd?: string }
  | { type: 'Search'; query: string; path?: string }
  | { type: 'WebFetch'; url?: string; query?: string }
  | { type: 'Plan'; text?: string; entries?: PlanEntry[] }
  | { type: 'TaskCreate'; prompt?: string; agent?: string; description?: string }
  | { type: 'McpTool'; server: string; tool: string; arguments?: unknown }
  | { type: 'Other'; description?: string };

/** Output and exit code of a command; the exit code is missing while it runs, or if the agent does not report it. */
export type CommandRunResult = { type: 'CommandRunResult'; output: string[]; exitCode?: number };

/** Output of any other tool. */
export type ToolResult = { type: 'ToolResult'; output: string[] };

export type ToolStatus =
  | 'Running'
  | 'AwaitingApproval'
  | 'Succeeded'
  | 'Failed'
  | 'Denied'
  | 'Cancelled';

type Common = {
  /** Milliseconds since 1970. */
  timestamp: number;
  /** The tool call of the sub-agent that the entry belongs to. */
  parentCallId?: string;
};

/** A text of the user, the agent or Baton: the pieces of `content` joined. It grows by one piece at a time. */
export type TextEntry = Common & {
  type: 'UserMessage' | 'SystemMessage' | 'AssistantMessage' | 'Thinking' | 'ErrorMessage';
  content: string[];
};

export type ToolUseEntry = Common & {
  type: 'ToolUse';
  callId: string;
  toolName: string;
  action: ToolAction;
  status: ToolStatus;
  result: CommandRunResult | ToolResult;
};

/** The todo list of the agent; a later list of the same run replaces it. */
type PlanUpdateEntry = Common & { type: 'Plan'; entries: PlanEntry[] };

/** One item of a conversation. */
export type NormalizedEntry = TextEntry | ToolUseEntry | PlanUpdateEntry;

/** The document that patches change. */
export type NormalizedConversation = { entries: NormalizedEntry[] };

/** An operation of RFC 6902; a conversation needs only these two. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown };

/** A JSON Patch (RFC 6902) of a conversation. */
export type ConversationPatch = PatchOperation[];
