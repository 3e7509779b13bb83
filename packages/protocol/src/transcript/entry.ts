import type { Action, FileChange, PlanEntry } from '../action.ts';
import type { ErrorInfo } from '../error.ts';
import type { EventOf, ToolOutcome } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import type { PermissionRequest, PermissionScope, Question, RequestAnswer } from '../permission.ts';
import type { SessionChanges } from '../session/session-event.ts';
import type { StopReport } from '../stop.ts';
import type { Usage } from '../usage.ts';

type Common = {
  /** Key by which events find the entry. Several entries of a task may have the same key, one after another. */
  key: string;
  taskId?: string | undefined;
  /** Cursor of the first event of the entry: unique within the session, and the order in which entries are shown. */
  cursor: number;
  /** Cursor of the last event that changed the entry. */
  through: number;
  time: number;
  /** Key of the tool call that started the sub-agent of this entry. */
  parentKey?: string | undefined;
  /** True while later events may change the entry. */
  open: boolean;
};

export type PromptEntry = Common & {
  kind: 'prompt';
  text: string;
  by?: string | undefined;
  backend: string;
  model?: string | undefined;
  /** Ids of the attached files. */
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
  /** Number of characters cut from the middle of the output; they are only in the log. */
  outputCut?: number | undefined;
  wholeOutput?: EventOf<'tool.completed'>['wholeOutput'];
  outcome?: ToolOutcome | undefined;
  durationMs?: number | undefined;
};
export type PermissionEntry = Common & {
  kind: 'permission';
  request: PermissionRequest;
  /** Answer of a user; the agent may not have received it yet. */
  answer?: RequestAnswer | undefined;
  /** Id of the user who answered. */
  answeredBy?: string | undefined;
  /** Action and input that were allowed instead of the requested ones. */
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
  /** Tool call that changed the file, if known. */
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

/** One item of a session's transcript. */
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
