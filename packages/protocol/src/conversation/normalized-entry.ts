import type { FileChange, PlanEntry } from '../action.ts';

/** What a tool call does, as a conversation shows it. */
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

/** What a command printed and how it ended; the exit code is missing while it runs, or when the agent does not tell. */
export type CommandRunResult = { type: 'CommandRunResult'; output: string[]; exitCode?: number };

/** What any other tool gave back. */
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

/** Text that somebody wrote: the pieces of `content` joined. It grows by one piece at a time. */
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
export type PlanUpdateEntry = Common & { type: 'Plan'; entries: PlanEntry[] };

/** One thing that a person reads in a conversation. */
export type NormalizedEntry = TextEntry | ToolUseEntry | PlanUpdateEntry;

/** The document that patches change. */
export type NormalizedConversation = { entries: NormalizedEntry[] };

/** An operation of RFC 6902; a conversation needs only these two. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown };

/** A JSON Patch (RFC 6902) of a conversation. */
export type ConversationPatch = PatchOperation[];
