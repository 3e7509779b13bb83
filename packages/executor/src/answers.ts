import type { AgentEvent, PermissionScope, RequestAnswer } from '@baton/protocol';
import type { AgentRun } from '@baton/runtime';

/** Hands answers on to an agent in a form that it offered; what it cannot remember, the rules of the daemon do. */
export class Answers {
  #run: Pick<AgentRun, 'answer'>;
  /** What the agent offered to remember, by its requests. */
  #offered = new Map<string, readonly PermissionScope[]>();

  constructor(run: Pick<AgentRun, 'answer'>) {
    this.#run = run;
  }

  /** Takes note of what the agent asks. */
  hear(event: AgentEvent): void {
    if (event.type === 'permission.requested') this.#offered.set(event.requestId, event.scopes);
    if (event.type === 'permission.resolved') this.#offered.delete(event.requestId);
  }

  give(requestId: string, answer: RequestAnswer): void {
    if (!('scope' in answer) || answer.scope === undefined) {
      this.#run.answer(requestId, answer);
      return;
    }
    // An agent never gets "always": that would outlive the rule of the daemon, which can be removed.
    const canRemember = this.#offered.get(requestId)?.includes('session') ?? false;
    const isWide = answer.scope !== 'once';
    this.#run.answer(requestId, { ...answer, scope: isWide && canRemember ? 'session' : 'once' });
  }
}
