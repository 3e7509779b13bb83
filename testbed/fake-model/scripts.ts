import type { Prompt } from './conversation.ts';
import { scenarios } from './scenarios.ts';
import type { Fault, Step } from './steps.ts';

export interface ChosenStep {
  step: Step;
  /** Position in the script; undefined for the answers that no script wrote. */
  index: number | undefined;
}

/** The scripts of one server, with the number of times that each of their faults has occurred. */
export class Scripts {
  readonly #scripts = new Map<string, Step[]>();
  readonly #struck = new Map<Step, number>();

  register(key: string, steps: Step[]): void {
    // Copies: the same fault object in two scripts must not share one count.
    this.#scripts.set(
      key,
      steps.map((step) => ({ ...step })),
    );
  }

  clear(): void {
    this.#scripts.clear();
    this.#struck.clear();
  }

  /** The step that answers this prompt now; choosing a fault counts as its strike. */
  choose(prompt: Prompt): ChosenStep {
    const steps = this.#find(prompt.key);
    if (!steps) return { step: { text: 'Hello from the fake model.' }, index: undefined };

    let turns = prompt.turns;
    for (const [index, step] of steps.entries()) {
      const times = timesOf(step);
      if (leavesTurn(step)) {
        if (turns < times) return { step, index };
        turns -= times;
        continue;
      }
      if (times !== Number.POSITIVE_INFINITY && turns > 0) continue;
      const struck = this.#struck.get(step) ?? 0;
      if (struck >= times) continue;
      this.#struck.set(step, struck + 1);
      return { step, index };
    }
    return { step: { text: 'Done.' }, index: undefined };
  }

  #find(key: string | undefined): Step[] | undefined {
    if (key === undefined) return undefined;
    const registered = this.#scripts.get(key);
    if (registered) return registered;
    const scenario = scenarios.get(key);
    if (!scenario) return undefined;
    this.register(key, scenario.steps);
    return this.#scripts.get(key);
  }
}

/** True if the step is a failure rather than an answer. */
export function isFault(step: Step): step is Fault {
  return 'status' in step || 'fault' in step || 'drop' in step || 'hang' in step;
}

function timesOf(step: Step): number {
  if (!isFault(step)) return 1;
  return step.times ?? Number.POSITIVE_INFINITY;
}

// Only what the agent keeps in its history moves the conversation to the next step.
function leavesTurn(step: Step): boolean {
  if (!isFault(step)) return true;
  return 'fault' in step && (step.fault === 'refusal' || step.fault === 'max_tokens');
}
