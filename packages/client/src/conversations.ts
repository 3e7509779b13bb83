import type {
  AgentEvent,
  FinishPlan,
  FinishRequest,
  NewReviewComment,
  ReviewCommentPatch,
} from '@baton/protocol';
import type {
  ChangeQuery,
  DataOf,
  MessagePatch,
  NewAnswer,
  NewSession,
  NewSteer,
  NewTask,
  QueryOf,
  ReviewSend,
  SessionFork,
  SessionPatch,
  SessionQuery,
  TaskPatch,
  TaskQuery,
  TaskRetry,
  TaskStop,
  TaskWidening,
  UndoRequest,
} from '@baton/protocol/wire';
import type { Call } from './call.ts';

/** The services for sessions, tasks and requests. */
export function conversations(call: Call) {
  return {
    sessions: {
      /** Lists sessions, the most recently changed first. */
      find: (query: SessionQuery = {}) => call('sessions', 'find', query),
      /** Returns one session. */
      get: (id: string) => call('sessions', 'get', id),
      /** Creates a session in a folder. */
      create: (session: NewSession) => call('sessions', 'create', session),
      /** Changes a session; archiving it requires that all of its tasks have ended. */
      patch: (id: string, changes: SessionPatch) => call('sessions', 'patch', id, changes),
      /** Queues a prompt in a session; it runs at once if a slot is free. */
      executeTask: (id: string, task: NewTask) =>
        call('sessions', 'executeTask', { session_id: id, ...task }),
      /** Forks a session, at its end or before one of its prompts. */
      fork: (id: string, fork: SessionFork = {}) =>
        call('sessions', 'fork', { session_id: id, ...fork }),
      /** Repeats a prompt, or runs another one instead, in a fork of the session before that prompt. */
      retryTask: (id: string, retry: TaskRetry) =>
        call('sessions', 'retryTask', { session_id: id, ...retry }),
      /** Lets a running task do more without asking. */
      widenTask: (id: string, widening: TaskWidening) =>
        call('sessions', 'widenTask', { session_id: id, ...widening }),
      /** Sends the agent of a running task further instructions. Idempotent with the same UUID. */
      steerTask: (id: string, steer: NewSteer) =>
        call('sessions', 'steerTask', { session_id: id, ...steer }),
      /** Resumes the queue of a session that a stop has paused. */
      resumeQueue: (id: string) => call('sessions', 'resumeQueue', { session_id: id }),
      /** Cancels the queued tasks of a session and resumes its queue. */
      clearQueue: (id: string) => call('sessions', 'clearQueue', { session_id: id }),
      /** Stops a task; stopping a running task pauses the queue of its session if other tasks are queued there. */
      stopTask: (id: string, stop: TaskStop) =>
        call('sessions', 'stopTask', { session_id: id, ...stop }),
    },
    tasks: {
      /** Lists tasks, the newest first by default. */
      find: (query: TaskQuery = {}) => call('tasks', 'find', query),
      /** Returns one task. */
      get: (id: string) => call('tasks', 'get', id),
      /** Changes the prompt of a queued task. */
      patch: (id: string, changes: TaskPatch) => call('tasks', 'patch', id, changes),
      /** Returns the raw output of a task's agent after a part. */
      rawOutput: (query: DataOf<'tasks', 'rawOutput'>) => call('tasks', 'rawOutput', query),
      /** Appends raw output of an agent; executors only. */
      appendRaw: (piece: DataOf<'tasks', 'appendRaw'>) => call('tasks', 'appendRaw', piece),
    },
    changes: {
      /** Compares the files of a session with those at the start of a turn, of the session, or of its branch. */
      find: (query: ChangeQuery) => call('changes', 'find', query),
      /** Returns the difference of two trees as a patch, for one file or all. */
      diff: (query: DataOf<'changes', 'diff'>) => call('changes', 'diff', query),
      /** Returns a file of one side of the difference in base64. */
      content: (query: DataOf<'changes', 'content'>) => call('changes', 'content', query),
      /** Reports the change of files that the daemon cannot read; executors only. */
      report: (report: DataOf<'changes', 'report'>) => call('changes', 'report', report),
      /** Waits until somebody wants to see the change of the session; executors only. */
      wait: (wait: DataOf<'changes', 'wait'>) => call('changes', 'wait', wait),
      /** Says that the change was reported which was asked for; executors only. */
      answer: () => call('changes', 'answer', {}),
      /** Lists other running sessions of the same repository that change the same files. */
      overlaps: (sessionId: string) => call('changes', 'overlaps', { session_id: sessionId }),
    },
    workspaces: {
      /** Describes a folder for the start of a session: its repository and who works there. */
      inspect: (folder: string) => call('workspaces', 'inspect', { folder }),
      /** Lists the workspaces of all sessions. */
      find: (query: QueryOf<'workspaces', 'find'> = {}) => call('workspaces', 'find', query),
      /** Runs the cleanup script of a worktree and removes it; it can be restored for 30 days. */
      removeWorktree: (data: DataOf<'workspaces', 'removeWorktree'>) =>
        call('workspaces', 'removeWorktree', data),
      /** Returns the setup and the dev server of a worktree, with state, output and ports. */
      scripts: (workspaceId: string) =>
        call('workspaces', 'scripts', { workspace_id: workspaceId }),
      /** Starts the dev server of a worktree, or its setup again. */
      startScript: (data: DataOf<'workspaces', 'startScript'>) =>
        call('workspaces', 'startScript', data),
      /** Stops the dev server or the setup of a worktree. */
      stopScript: (data: DataOf<'workspaces', 'stopScript'>) =>
        call('workspaces', 'stopScript', data),
      /** Brings a removed worktree back. */
      restore: (workspaceId: string) =>
        call('workspaces', 'restore', { workspace_id: workspaceId }),
    },
    checkpoints: {
      /** Lists the checkpoints of a session, oldest first. */
      find: (sessionId: string) => call('checkpoints', 'find', { session_id: sessionId }),
      /** Brings files back to the start of a turn, or to a checkpoint. */
      undo: (request: UndoRequest) => call('checkpoints', 'undo', request),
    },
    finish: {
      /** Says in a sentence what a finish would do. */
      plan: (sessionId: string, request: FinishRequest) =>
        call('finish', 'plan', { session_id: sessionId, request }),
      /** Commits, merges or discards the work of a session as planned. */
      carryOut: (sessionId: string, request: FinishRequest, plan: Pick<FinishPlan, 'state'>) =>
        call('finish', 'carryOut', { session_id: sessionId, request, state: plan.state }),
    },
    reviewComments: {
      /** Lists the comments on the change of a session, oldest first. */
      find: (sessionId: string) => call('review-comments', 'find', { session_id: sessionId }),
      /** Writes a draft of a comment. */
      create: (comment: NewReviewComment) => call('review-comments', 'create', comment),
      /** Changes the text of a draft, or marks a comment as resolved. */
      patch: (id: string, changes: ReviewCommentPatch) =>
        call('review-comments', 'patch', id, changes),
      /** Deletes a comment. */
      remove: (id: string) => call('review-comments', 'remove', id),
      /** Sends drafts to the agent in one prompt. */
      send: (request: ReviewSend) => call('review-comments', 'send', request),
    },
    messages: {
      /** Returns the last messages of a session, or those before a cursor, the oldest first. */
      find: (query: QueryOf<'messages', 'find'>) => call('messages', 'find', query),
      /** Returns one message. */
      get: (id: string) => call('messages', 'get', id),
      /** Answers a permission request by its message; `permissions.answer` has more options. */
      patch: (id: string, changes: MessagePatch) => call('messages', 'patch', id, changes),
      /** Reports events of a run; executors only. */
      append: (events: readonly AgentEvent[]) =>
        call('messages', 'append', { events: [...events] }),
    },
    events: {
      /** Returns the events after a cursor; with `wait`, waits until there is one. */
      find: (query: QueryOf<'events', 'find'>) => call('events', 'find', query),
    },
    transcript: {
      /** Returns the last entries of a session, or those before a cursor, the oldest first. */
      find: (query: QueryOf<'transcript', 'find'>) => call('transcript', 'find', query),
      /** Returns the files that the events of a session report as changed. */
      changes: (query: DataOf<'transcript', 'changes'>) => call('transcript', 'changes', query),
    },
    news: {
      /** Returns the sessions that have changed since a position; with `wait`, waits until there is one. */
      find: (query: QueryOf<'news', 'find'> = {}) => call('news', 'find', query),
    },
    permissions: {
      /** Lists requests, the oldest first. */
      find: (query: QueryOf<'permissions', 'find'> = {}) => call('permissions', 'find', query),
      /** Answers a request: the first answer counts, the receipt of a later one is `late`. */
      answer: (answer: NewAnswer) => call('permissions', 'answer', answer),
    },
  };
}
