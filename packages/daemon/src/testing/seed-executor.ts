import type { Reply, TestDaemon } from './test-daemon.ts';

/** An executor that reports message by message, played by a test. */
export class SeedExecutor {
  readonly sessionId: string;
  readonly taskId: string;
  readonly token: string;
  #daemon: TestDaemon;

  constructor(daemon: TestDaemon, place: { sessionId: string; taskId: string; token: string }) {
    this.#daemon = daemon;
    this.sessionId = place.sessionId;
    this.taskId = place.taskId;
    this.token = place.token;
  }

  /** Calls the daemon with the token of the task. */
  call(verb: string, path: string, body: object): Promise<Reply> {
    return this.#daemon.call(verb, path, { as: this.token, body });
  }

  /** Says a message as a whole, of which pieces may have been said. */
  say(content: string, messageId?: string): Promise<Reply> {
    return this.#create({ type: 'text', content, message_id: messageId });
  }

  /** Reports a message of several blocks. */
  report(content: readonly object[], more: object = {}): Promise<Reply> {
    return this.#create({ type: 'assistant', role: 'assistant', content, ...more });
  }

  /** Says a piece of a message. */
  stream(messageId: string, chunk: string): Promise<Reply> {
    const body = { session_id: this.sessionId, message_id: messageId, chunk };
    return this.call('POST', '/messages/streamChunk', body);
  }

  /** Asks whether a command may be run. */
  ask(requestId: string, command: string): Promise<Reply> {
    const content = { request_id: requestId, tool_name: 'bash', tool_params: { command } };
    return this.#create({ type: 'permission_request', content });
  }

  /** Says how the task ended. */
  end(status: 'COMPLETED' | 'FAILED' | 'CANCELLED'): Promise<Reply> {
    return this.call('PATCH', `/tasks/${this.taskId}`, { status });
  }

  #create(message: object): Promise<Reply> {
    const place = { session_id: this.sessionId, task_id: this.taskId };
    return this.call('POST', '/messages', { ...place, ...message });
  }
}

/** Queues a prompt in a session and takes it. */
export async function seedExecutor(daemon: TestDaemon): Promise<SeedExecutor> {
  const sessionId = await daemon.session();
  const prompt = { prompt: 'Hi' };
  const queued = await daemon.call('POST', `/sessions/${sessionId}/executeTask`, { body: prompt });
  const taskId = String(queued.body.task_id);
  const body = { task_id: taskId, host: 'h', pid: 1 };
  const { token } = (await daemon.call('POST', '/executors', { body })).body;
  return new SeedExecutor(daemon, { sessionId, taskId, token: String(token) });
}
