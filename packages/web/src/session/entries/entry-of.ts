import type { Entry, EntryKind } from '@baton/protocol';

type EntryOf<Kind extends EntryKind> = Extract<Entry, { kind: Kind }>;

export type PromptEntry = EntryOf<'prompt'>;
export type MessageEntry = Extract<Entry, { kind: 'text' | 'thinking' }>;
export type ToolEntry = EntryOf<'tool'>;
export type PermissionEntry = EntryOf<'permission'>;
export type QuestionEntry = EntryOf<'question'>;
export type PlanListEntry = EntryOf<'plan'>;
export type FileEntry = EntryOf<'file'>;
export type NoticeEntry = EntryOf<'notice'>;
export type UnparsedEntry = EntryOf<'unparsed'>;
export type StopEntry = EntryOf<'stop'>;
export type ChangeEntry = EntryOf<'change'>;
export type ResultEntry = EntryOf<'result'>;
