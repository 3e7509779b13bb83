import { type TaskRecord, TaskRun, type TaskRunHooks } from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import { giveAnswer } from './give-answer.ts';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

/** The run of a task of a daemon. */
export class RemoteRun<Structured = unknown> extends TaskRun<Structured> {
  /** The task as the daemon created it. */
  readonly task: TaskRecord;

  constructor(client: BatonClient, task: TaskRecord, hooks: TaskRunHooks = {}) {
    const { closed } = client.connection;
    super(
      {
        follow: (sessionId, options) => client.follow(sessionId, options),
        answer: ({ session_id, task_id, position }, { requestId, answer }) =>
          giveAnswer(client, { session_id, task_id, request_id: requestId, answer }, position),
        steer: ({ session_id, task_id }, text) =>
          client.sessions.steerTask(session_id, { task_id, text }),
        stop: ({ session_id, task_id }, reason) =>
          retryWhileUnreachable(
            () => client.sessions.stopTask(session_id, { task_id, reason }),
            closed,
          ),
      },
      task,
      hooks,
    );
    this.task = task;
  }
}
