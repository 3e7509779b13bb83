import type {
  AgentEvent,
  ListedSession,
  ListedTask,
  LogEvent,
  MessageRecord,
  RequestAnswer,
  SessionRecord,
  TaskRecord,
} from '@baton/protocol';
import type { Call } from './administration.ts';
import type {
  ClearedQueue,
  MessagePatch,
  NewSession,
  News,
  NewTask,
  Page,
  PageQuery,
  PendingRecord,
  RawOutput,
  SessionFileChanges,
  SessionPatch,
  SessionQuery,
  StopReceipt,
  TaskQuery,
  TranscriptPage,
} from './records.ts';

/** The services of what people ask of agents, and what becomes of it. */
export function conversations(call: Call) {
  return {
    sessions: {
      /** Lists sessions, those with news first. */
      find: (query: SessionQuery = {}) => call<Page<ListedSession>>('sessions', 'find', query),
      /** Gives one session. */
      get: (id: string) => call<SessionRecord>('sessions', 'get', id),
      /** Begins a session in a folder. */
      create: (session: NewSession) => call<SessionRecord>('sessions', 'create', session),
      /** Changes a session, or puts it into the archive once all of its tasks have ended. */
      patch: (id: string, changes: SessionPatch) =>
        call<SessionRecord>('sessions', 'patch', id, changes),
      /** Puts a prompt into the queue of a session; it runs at once when there is room. */
      executeTask: (id: string, task: NewTask) =>
        call<TaskRecord>('sessions', 'executeTask', { session_id: id, ...task }),
      /** Begins a session that goes on from another one, or from before one of its prompts. */
      fork: (id: string, fork: { before_task?: string | undefined } = {}) =>
        call<SessionRecord>('sessions', 'fork', { session_id: id, ...fork }),
      /** Gives a prompt once more, or another one in its place, in a copy of the session as it was before. */
      retryTask: (id: string, retry: { taskId: string; prompt?: string; backend?: string }) =>
        call<TaskRecord>('sessions', 'retryTask', { session_id: id, ...retry }),
      /** Gives the agent of a task that runs more to consider; once, if it is given again with the same UUID. */
      steerTask: (id: string, steer: { taskId: string; text: string; steer_id?: string }) =>
        call<TaskRecord>('sessions', 'steerTask', { session_id: id, ...steer }),
      /** Lets the queued tasks of a session run again, after a stop has paused them. */
      resumeQueue: (id: string) =>
        call<SessionRecord>('sessions', 'resumeQueue', { session_id: id }),
      /** Cancels the queued tasks of a session, and ends the pause of its queue. */
      clearQueue: (id: string) => call<ClearedQueue>('sessions', 'clearQueue', { session_id: id }),
      /** Stops a task; stopping one that runs pauses the queue of its session, if other tasks are queued there. */
      stopTask: (id: string, stop: { taskId: string; reason?: string | undefined }) =>
        call<StopReceipt>('sessions', 'stopTask', { session_id: id, ...stop }),
    },
    tasks: {
      /** Lists tasks, the newest first unless told otherwise. */
      find: (query: TaskQuery = {}) => call<Page<ListedTask>>('tasks', 'find', query),
      /** Gives one task. */
      get: (id: string) => call<TaskRecord>('tasks', 'get', id),
      /** Changes a prompt whose turn has not come. */
      patch: (id: string, changes: { full_prompt: string }) =>
        call<TaskRecord>('tasks', 'patch', id, changes),
      /** What the agent of a task really printed, behind a part. */
      rawOutput: (query: { task_id: string; after?: number }) =>
        call<RawOutput>('tasks', 'rawOutput', query),
      /** Hands over what an agent printed; executors only. */
      appendRaw: (piece: { offset: number; text: string }) =>
        call<{ bytes: number }>('tasks', 'appendRaw', piece),
    },
    messages: {
      /** Gives the last messages of a session, or those before a cursor, the oldest first. */
      find: (query: { session_id: string; task_id?: string; before?: number; limit?: number }) =>
        call<{ data: MessageRecord[]; cursor: number }>('messages', 'find', query),
      /** Gives one message. */
      get: (id: string) => call<MessageRecord>('messages', 'get', id),
      /** Answers a permission request by its message; `permissions.answer` can say more. */
      patch: (id: string, changes: MessagePatch) =>
        call<MessageRecord & { receipt: 'accepted' | 'late' }>('messages', 'patch', id, changes),
      /** Reports events of a run; executors only. */
      append: (events: readonly AgentEvent[]) =>
        call<{ last_seq: number }>('messages', 'append', { events }),
    },
    events: {
      /** Gives the events behind a cursor, and with `wait` waits for some. */
      find: (query: { session_id: string; after?: number; limit?: number; wait?: number }) =>
        call<{ events: LogEvent[]; cursor: number }>('events', 'find', query),
    },
    transcript: {
      /** Gives the last entries of a session, or those before a cursor, the oldest first. */
      find: (query: { session_id: string; before?: number; limit?: number }) =>
        call<TranscriptPage>('transcript', 'find', query),
      /** Gives the files that a session says it changed. */
      changes: (query: { session_id: string; brief?: boolean }) =>
        call<SessionFileChanges>('transcript', 'changes', query),
    },
    news: {
      /** Tells which sessions have moved since a place, and with `wait` waits for one. */
      find: (query: { after?: string | undefined; wait?: number } = {}) =>
        call<News>('news', 'find', query),
    },
    permissions: {
      /** Lists requests, those that wait longest first. */
      find: (query: PageQuery & { session_id?: string; status?: string } = {}) =>
        call<Page<PendingRecord>>('permissions', 'find', query),
      /** Answers a request: the first answer counts, a later one is told that it came late. */
      answer: (answer: {
        session_id: string;
        task_id: string;
        request_id: string;
        answer: RequestAnswer;
        /** What an answer for longer than once allows; exactly the same again unless told otherwise. */
        pattern?: string | undefined;
      }) => call<{ receipt: 'accepted' | 'late' }>('permissions', 'answer', answer),
    },
  };
}
