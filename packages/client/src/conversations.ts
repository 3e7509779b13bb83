import type { AgentEvent } from '@baton/protocol';
import type {
  DataOf,
  MessagePatch,
  NewAnswer,
  NewSession,
  NewSteer,
  NewTask,
  QueryOf,
  SessionFork,
  SessionPatch,
  SessionQuery,
  TaskPatch,
  TaskQuery,
  TaskRetry,
  TaskStop,
} from '@baton/protocol/wire';
import type { Call } from './call.ts';

/** The services of what people ask of agents, and what becomes of it. */
export function conversations(call: Call) {
  return {
    sessions: {
      /** Lists sessions, those with news first. */
      find: (query: SessionQuery = {}) => call('sessions', 'find', query),
      /** Gives one session. */
      get: (id: string) => call('sessions', 'get', id),
      /** Begins a session in a folder. */
      create: (session: NewSession) => call('sessions', 'create', session),
      /** Changes a session, or puts it into the archive once all of its tasks have ended. */
      patch: (id: string, changes: SessionPatch) => call('sessions', 'patch', id, changes),
      /** Puts a prompt into the queue of a session; it runs at once when there is room. */
      executeTask: (id: string, task: NewTask) =>
        call('sessions', 'executeTask', { session_id: id, ...task }),
      /** Forks a session, at its end or before one of its prompts. */
      fork: (id: string, fork: SessionFork = {}) =>
        call('sessions', 'fork', { session_id: id, ...fork }),
      /** Gives a prompt once more, or another one in its place, in a copy of the session as it was before. */
      retryTask: (id: string, retry: TaskRetry) =>
        call('sessions', 'retryTask', { session_id: id, ...retry }),
      /** Gives the agent of a task that runs more to consider; once, if it is given again with the same UUID. */
      steerTask: (id: string, steer: NewSteer) =>
        call('sessions', 'steerTask', { session_id: id, ...steer }),
      /** Lets the queued tasks of a session run again, after a stop has paused them. */
      resumeQueue: (id: string) => call('sessions', 'resumeQueue', { session_id: id }),
      /** Cancels the queued tasks of a session, and ends the pause of its queue. */
      clearQueue: (id: string) => call('sessions', 'clearQueue', { session_id: id }),
      /** Stops a task; stopping one that runs pauses the queue of its session, if other tasks are queued there. */
      stopTask: (id: string, stop: TaskStop) =>
        call('sessions', 'stopTask', { session_id: id, ...stop }),
    },
    tasks: {
      /** Lists tasks, the newest first unless told otherwise. */
      find: (query: TaskQuery = {}) => call('tasks', 'find', query),
      /** Gives one task. */
      get: (id: string) => call('tasks', 'get', id),
      /** Changes a prompt whose turn has not come. */
      patch: (id: string, changes: TaskPatch) => call('tasks', 'patch', id, changes),
      /** What the agent of a task really printed, behind a part. */
      rawOutput: (query: DataOf<'tasks', 'rawOutput'>) => call('tasks', 'rawOutput', query),
      /** Hands over what an agent printed; executors only. */
      appendRaw: (piece: DataOf<'tasks', 'appendRaw'>) => call('tasks', 'appendRaw', piece),
    },
    messages: {
      /** Gives the last messages of a session, or those before a cursor, the oldest first. */
      find: (query: QueryOf<'messages', 'find'>) => call('messages', 'find', query),
      /** Gives one message. */
      get: (id: string) => call('messages', 'get', id),
      /** Answers a permission request by its message; `permissions.answer` can say more. */
      patch: (id: string, changes: MessagePatch) => call('messages', 'patch', id, changes),
      /** Reports events of a run; executors only. */
      append: (events: readonly AgentEvent[]) =>
        call('messages', 'append', { events: [...events] }),
    },
    events: {
      /** Gives the events behind a cursor, and with `wait` waits for some. */
      find: (query: QueryOf<'events', 'find'>) => call('events', 'find', query),
    },
    transcript: {
      /** Gives the last entries of a session, or those before a cursor, the oldest first. */
      find: (query: QueryOf<'transcript', 'find'>) => call('transcript', 'find', query),
      /** Gives the files that a session says it changed. */
      changes: (query: DataOf<'transcript', 'changes'>) => call('transcript', 'changes', query),
    },
    news: {
      /** Tells which sessions have moved since a place, and with `wait` waits for one. */
      find: (query: QueryOf<'news', 'find'> = {}) => call('news', 'find', query),
    },
    permissions: {
      /** Lists requests, those that wait longest first. */
      find: (query: QueryOf<'permissions', 'find'> = {}) => call('permissions', 'find', query),
      /** Answers a request: the first answer counts, a later one is told that it came late. */
      answer: (answer: NewAnswer) => call('permissions', 'answer', answer),
    },
  };
}
