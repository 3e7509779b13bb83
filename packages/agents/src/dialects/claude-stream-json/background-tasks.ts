import { array, type Json, object, string } from '@baton/config/values/json';

/** A sub-agent or a command that keeps running while the agent can answer. */
export type BackgroundTask = { id: string; description: string; isAgent: boolean };

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'killed', 'stopped']);
/** Kinds of tasks that `claude -p` does not wait for either: they live as long as the session. */
const LASTING: ReadonlySet<unknown> = new Set(['in_process_teammate', 'post_turn_memory']);

/** Tracks background tasks, and which of them the current prompt has started. */
export class BackgroundTasks {
  #running = new Map<string, BackgroundTask>();
  /** The tasks that earlier prompts left running. */
  #earlier: ReadonlySet<string> = new Set();
  #hasStarted = false;

  /** True if the current prompt has started any. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get running(): BackgroundTask[] {
    return [...this.#running.values()];
  }

  /** Those that the current prompt has started and that still run. */
  get own(): BackgroundTask[] {
    return this.running.filter(({ id }) => !this.#earlier.has(id));
  }

  /** A prompt begins. */
  prompt(): void {
    this.#earlier = new Set(this.#running.keys());
    this.#hasStarted = false;
  }

  /** Reads a line about tasks; newer releases also print the whole list each time it changes. */
  read(line: Json): void {
    const id = string(line.task_id) ?? '';
    if (line.subtype === 'background_tasks_changed') {
      this.#running.clear();
      for (const task of array(line.tasks)) this.#start(object(task));
    }
    if (line.subtype === 'task_started' && line.is_backgrounded !== false) this.#start(line);
    if (line.subtype === 'task_updated' && ENDED.has(object(line.patch).status)) {
      this.#running.delete(id);
    }
    if (line.subtype === 'task_notification') this.#running.delete(id);
  }

  #start(task: Json): void {
    const id = string(task.task_id);
    if (!id || LASTING.has(task.task_type)) return;
    const description = string(task.description) || 'a task';
    const isAgent = /agent|workflow/.test(string(task.task_type) ?? '');
    this.#running.set(id, { id, description, isAgent });
    if (!this.#earlier.has(id)) this.#hasStarted = true;
  }
}
