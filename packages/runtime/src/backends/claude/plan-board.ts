import type { PlanEntry } from '@baton/protocol';
import { planEntries } from '../../normalize/actions.ts';
import { array, type Json, object, string } from '../../normalize/json.ts';

/** The todo list, put together from tools that write it whole or change one task at a time. */
export class PlanBoard {
  #tasks = new Map<string, { text: string; status: string }>();

  /** Takes a call that succeeded; gives the whole list when the call changed it. */
  update(tool: string, input: Json, account: Json): PlanEntry[] | undefined {
    if (tool === 'TodoWrite') return planEntries(account.newTodos ?? input.todos);
    if (tool === 'TaskCreate') return this.#create(object(account.task), input);
    if (tool === 'TaskUpdate') return this.#change(string(input.taskId), input);
    if (tool === 'TaskList') return this.#replace(array(account.tasks).map(object));
    return undefined;
  }

  #create(task: Json, input: Json): PlanEntry[] | undefined {
    const id = string(task.id);
    if (id === undefined) return undefined;
    const text = string(task.subject) ?? string(input.subject) ?? '';
    this.#tasks.set(id, { text, status: 'pending' });
    return this.#entries();
  }

  #change(id: string | undefined, input: Json): PlanEntry[] | undefined {
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (!task || id === undefined) return undefined;
    task.text = string(input.subject) ?? task.text;
    task.status = string(input.status) ?? task.status;
    if (task.status === 'deleted') this.#tasks.delete(id);
    return this.#entries();
  }

  #replace(tasks: Json[]): PlanEntry[] {
    this.#tasks = new Map(
      tasks.map((task) => [
        string(task.id) ?? '',
        { text: string(task.subject) ?? '', status: string(task.status) ?? 'pending' },
      ]),
    );
    return this.#entries();
  }

  #entries(): PlanEntry[] {
    return planEntries([...this.#tasks.values()]) ?? [];
  }
}
