import { isDeepStrictEqual } from 'node:util';
import type { Condition } from './chain.ts';
import type { Scope, StepValue } from './scope.ts';
import { valueAt } from './value-at.ts';

/** True if a condition holds. A step that did not run has no outcome and no value. */
export function holds(condition: Condition, scope: Scope): boolean {
  if ('not' in condition) return !holds(condition.not, scope);
  if ('all' in condition) return condition.all.every((each) => holds(each, scope));
  if ('any' in condition) return condition.any.some((each) => holds(each, scope));
  const step = condition.step === 'previous' ? scope.previous : scope.steps.get(condition.step);
  if ('outcome' in condition) {
    return step !== undefined && [condition.outcome].flat().includes(step.outcome);
  }
  const value = step && stepValue(step, condition.path);
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  return value !== undefined && isDeepStrictEqual(value, condition.equals);
}

/** True if a condition depends on the outcome of a step, so that it is evaluated after a failure too. */
export function mentionsOutcome(condition: Condition): boolean {
  if ('not' in condition) return mentionsOutcome(condition.not);
  if ('all' in condition) return condition.all.some(mentionsOutcome);
  if ('any' in condition) return condition.any.some(mentionsOutcome);
  return 'outcome' in condition;
}

/** A condition in words, such as `if review failed` or `until review.verdict is "approve"`. */
export function conditionWords(condition: Condition, word: 'if' | 'until' = 'if'): string {
  return `${word} ${wordsOf(condition)}`;
}

/** Without a path it is the structured output, or the text of a step that has none. */
function stepValue({ structured, output }: StepValue, path: string | undefined): unknown {
  if (path !== undefined) return valueAt(structured, path.split('.'));
  return structured === undefined ? output.trim() || undefined : structured;
}

const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  done: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
  skipped: 'was skipped',
};

function wordsOf(condition: Condition): string {
  if ('not' in condition) return `not (${wordsOf(condition.not)})`;
  if ('all' in condition) return condition.all.map(inParentheses).join(' and ');
  if ('any' in condition) return condition.any.map(inParentheses).join(' or ');
  const step = condition.step === 'previous' ? 'the previous step' : condition.step;
  if ('outcome' in condition) {
    const outcomes = [condition.outcome].flat().map((each) => OUTCOME_WORDS[each] ?? each);
    return `${step} ${outcomes.join(' or ')}`;
  }
  const value = condition.path === undefined ? `the output of ${step}` : pathWords(condition);
  if ('exists' in condition) return `${value} ${condition.exists ? 'exists' : 'is missing'}`;
  return `${value} is ${JSON.stringify(condition.equals)}`;
}

function pathWords({ step, path }: { step: string; path?: string | undefined }): string {
  return step === 'previous' ? `${path} of the previous step` : `${step}.${path}`;
}

/** Only a condition of several parts needs parentheses. */
function inParentheses(condition: Condition): string {
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  return parts.length > 1 ? `(${wordsOf(condition)})` : wordsOf(condition);
}
