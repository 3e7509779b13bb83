import { parseJson } from '@baton/config/values/json';
import type { ToolOutcome } from '@baton/protocol/values';
import { tour } from './tour.ts';

/** One thing the demo agent does. */
export type DemoStep =
  | { think: string }
  | { say: string }
  | { read: string }
  | { write: { path: string; content: string } }
  | { shell: string; ownSession?: boolean }
  | { question: { question: string; options: string[] } }
  | { plan: { text: string; status: 'pending' | 'in_progress' | 'completed' }[] }
  | { fail: string }
  | { stall: true }
  | { flood: number }
  | { crash: number | 'SIGKILL' }
  | { ignoreSignals: true }
  | { garbage: string }
  | { leave: string }
  | { ledger: string };

/** Steps of one turn; each receives the outcome of the one before. */
export type DemoSteps = Iterable<DemoStep, void, ToolOutcome | undefined>;

/** Steps for the keywords after `demo:`. */
const DIRECTIVES: Readonly<Record<string, (value: string) => DemoStep[]>> = {
  fail: () => [
    { say: 'I am going to fail now.' },
    { fail: 'The demo agent failed because it was asked to.' },
  ],
  stall: () => [{ say: 'I am going to be silent now.' }, { stall: true }],
  flood: (value) => [{ flood: Number(value) || 100_000 }],
  crash: () => [{ say: 'I am going to crash now.' }, { crash: 70 }],
  stubborn: () => [
    { ignoreSignals: true },
    { say: 'I do not listen to signals.' },
    { stall: true },
  ],
  session: () => [{ shell: 'sleep 60', ownSession: true }],
  garbage: () => [{ garbage: 'this is not JSON {' }, { say: 'That was garbage.' }],
  question: () => [{ question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } }],
  leave: () => [{ leave: 'sleep 60' }, { say: 'I left a process behind.' }],
};

/** Works out what a prompt asks of the demo agent: a script, some directives, those of the system prompt, or the tour. */
export function stepsFor(prompt: string, systemPrompt = ''): DemoStep[] | DemoSteps {
  return directedSteps(prompt) ?? directedSteps(systemPrompt) ?? tour(prompt);
}

function directedSteps(prompt: string): DemoStep[] | undefined {
  // The last one counts: a prompt may tell of earlier ones.
  const last = prompt.slice(Math.max(0, prompt.lastIndexOf('demo:script')));
  const script = /demo:script\s+(\[[\s\S]*\])/.exec(last)?.[1];
  const parsed = script === undefined ? undefined : parseJson(script);
  if (Array.isArray(parsed)) return parsed as DemoStep[];
  const steps = [...prompt.matchAll(/demo:([a-z]+)(?:=(\S+))?/g)].flatMap(
    ([, word = '', value = '']) => DIRECTIVES[word]?.(value) ?? [],
  );
  return steps.length > 0 ? steps : undefined;
}
