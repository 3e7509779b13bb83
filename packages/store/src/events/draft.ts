import type { AgentEvent, LogEvent, SessionEvent } from '@baton/protocol';

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'cursor' | 'time'> : never;

/** An event of a session before it has its place in the log. */
export type SessionDraft = WithoutPlace<SessionEvent>;

/** An event of a run before it has its place in the log; it has its own time. */
export type TaskDraft = AgentEvent & { taskId: string };

export type Draft = SessionDraft | TaskDraft;

/** Gives events their places behind a cursor. */
export function placed(drafts: readonly Draft[], head: number, now: number): LogEvent[] {
  return drafts.map(
    (draft, index) => ({ time: now, ...draft, cursor: head + index + 1 }) as LogEvent,
  );
}
