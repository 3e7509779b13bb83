import type { FakeModel, Step, ToolCall } from '../../../../testbed/fake-model/index.ts';
import type { ScriptStep } from '../../../agent-tools/src/conformance/index.ts';

let keys = 0;

/** Makes the fake model do some steps, and gives the prompt that sets them off. */
export function scripted(model: FakeModel, steps: readonly Step[]): string {
  keys += 1;
  const key = `script-${keys}`;
  model.script(key, [...steps]);
  return `[[${key}]] go`;
}

/** Converts the steps of the conformance suite into the script of the fake model. */
export function modelSteps(steps: readonly ScriptStep[]): Step[] {
  const turns: Step[] = [];
  let thinking: string | undefined;
  for (const [index, step] of steps.entries()) {
    if ('think' in step) {
      thinking = step.think;
      continue;
    }
    const next = steps[index + 1];
    if ('say' in step && next && 'hang' in next) turns.push({ hang: 'mid-stream' });
    else if ('say' in step) turns.push({ thinking, text: step.say });
    else if ('fail' in step) turns.push({ fault: step.fail });
    else if (!('hang' in step)) turns.push({ tools: [step satisfies ToolCall] });
    // After a text the text itself hangs.
    else if (!('say' in (steps[index - 1] ?? {}))) turns.push({ hang: 'before-headers' });
    thinking = undefined;
  }
  return turns;
}
