import type { Action, FileChange, PlanEntry } from '../action.ts';
import type { ErrorInfo } from '../error.ts';
import type { EventOf, ToolOutcome } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import type { PermissionRequest, PermissionScope, Question, RequestAnswer } from '../permission.ts';
import type { SessionChanges } from '../session/session-event.ts';
import type { StopReport } from '../stop.ts';
import type { Usage } from '../usage.ts';

type Common = {
  /** By which events find it: several entries of a task may have the same, one after another. */
  key: string;
  taskId?: string | undefined;
  /** The cursor of the event that began it: no other entry of the session has it, and they are shown in this order. */
  cursor: number;
  /** The cursor of the last event that changed it. */
  through: number;
  time: number;
  /** The key of the call of the sub-agent that it belongs to. */
  parentKey?: string | undefined;
  /** More is to come. */
  open: boolean;
};

export type PromptEntry = Common & {
  kind: 'prompt';
  text: string;
  by?: string | undefined;
  backend: string;
  model?: string | undefined;
  /** The ids of the files that went along. */
  attachments?: string[] | undefined;
};
export type MessageEntry = Common & {
  kind: 'text' | 'thinking';
  text: string;
  incomplete?: boolean | undefined;
};
export type ToolEntry = Common & {
  kind: 'tool';
  name: string;
  action: Action;
  input?: unknown;
  output: string;
  /** How many characters in the middle of the output are only in the log. */
  outputCut?: number | undefined;
  wholeOutput?: EventOf<'tool.completed'>['wholeOutput'];
  outcome?: ToolOutcome | undefined;
  durationMs?: number | undefined;
};
export type PermissionEntry = Common & {
  kind: 'permission';
  request: PermissionRequest;
  /** What a person said, on its way to the agent or there already. */
  answer?: RequestAnswer | undefined;
  /** The id of the user who said it. */
  answeredBy?: string | undefined;
  /** What was allowed in place of what was asked for. */
  edited?: { action: Action; input: unknown } | undefined;
  decision?: string | undefined;
  scope?: PermissionScope | undefined;
  by?: string | undefined;
  reason?: string | undefined;
};
export type QuestionEntry = Common & {
  kind: 'question';
  requestId: string;
  questions: Question[];
  answer?: RequestAnswer | undefined;
  answeredBy?: string | undefined;
  answers?: Record<string, string[]> | undefined;
  by?: string | undefined;
  reason?: string | undefined;
};
export type PlanListEntry = Common & { kind: 'plan'; entries: PlanEntry[] };
export type FileEntry = Common & {
  kind: 'file';
  change: FileChange;
  /** The call of the tool that changed it, where that is known. */
  callId?: string | undefined;
};
export type NoticeEntry = Common & {
  kind: 'notice';
  level: 'info' | 'warning' | 'error';
  code: string;
  message: string;
};
/** The number of unrecognized lines; only the events have the lines. */
export type UnparsedEntry = Common & { kind: 'unparsed'; count: number };
export type StopEntry = Common & {
  kind: 'stop';
  by?: string | undefined;
  reason?: string | undefined;
};
export type ChangeEntry = Common & {
  kind: 'change';
  by?: string | undefined;
  changes: SessionChanges;
};
export type ResultEntry = Common & {
  kind: 'result';
  outcome: Outcome;
  error?: ErrorInfo | undefined;
  usage?: Usage | undefined;
  durationMs: number;
  stop?: StopReport | undefined;
};

/** One thing that a person sees in a session. */
export type Entry =
  | PromptEntry
  | MessageEntry
  | ToolEntry
  | PermissionEntry
  | QuestionEntry
  | PlanListEntry
  | FileEntry
  | NoticeEntry
  | UnparsedEntry
  | StopEntry
  | ChangeEntry
  | ResultEntry;
export type EntryKind = Entry['kind'];
