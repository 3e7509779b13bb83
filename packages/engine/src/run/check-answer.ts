import { isObject, type Json } from '@baton/config/values/json';
import { BatonError, type PermissionRequest, type RequestAnswer } from '@baton/protocol/values';
import type { PendingRequest } from '../definition/backend.ts';

const FIELDS = {
  allow: ['decision', 'scope', 'input', 'by'],
  deny: ['decision', 'reason', 'stop', 'by'],
  answers: ['answers', 'by'],
  declined: ['declined', 'reason', 'by'],
} as const;

/**
 * Refuses an answer that does not fit its request: an answer that is not clearly an approval must never reach an agent as
 * one. It is checked by hand, because loading the schemas would slow down every start of the command.
 */
export function checkAnswer(
  pending: PendingRequest,
  answer: unknown,
): asserts answer is RequestAnswer {
  const given = isObject(answer) ? answer : {};
  const problem =
    pending.kind === 'permission'
      ? permissionProblem(pending.request, given)
      : questionProblem(given);
  if (problem) throw new BatonError('usage', problem);
}

function permissionProblem(request: PermissionRequest, answer: Json): string | undefined {
  const { decision, scope } = answer;
  if (decision !== 'allow' && decision !== 'deny')
    return 'Answer a permission request with { decision: "allow" } or { decision: "deny" }.';
  if (scope !== undefined && scope !== 'once' && !request.scopes.some((each) => each === scope))
    return `The scope "${scope}" was not offered; offered: ${request.scopes.join(', ')}.`;
  if (answer.input !== undefined && !request.editable)
    return 'The input of this request cannot be edited.';
  if (answer.stop !== undefined && typeof answer.stop !== 'boolean')
    return '"stop" must be true or false.';
  return textProblem(answer) ?? strangerProblem(answer, FIELDS[decision]);
}

function questionProblem(answer: Json): string | undefined {
  if (answer.declined === true)
    return textProblem(answer) ?? strangerProblem(answer, FIELDS.declined);
  if (!isObject(answer.answers) || !Object.values(answer.answers).every(isListOfTexts))
    return 'Answer a question with { answers: { id: ["…"] } } or { declined: true }.';
  return textProblem(answer) ?? strangerProblem(answer, FIELDS.answers);
}

function textProblem({ by, reason }: Json): string | undefined {
  const wrong = [by, reason].some((text) => text !== undefined && typeof text !== 'string');
  return wrong ? '"by" and "reason" must be strings.' : undefined;
}

function strangerProblem(answer: Json, known: readonly string[]): string | undefined {
  const stranger = Object.keys(answer).find((key) => !known.includes(key));
  return stranger === undefined ? undefined : `Unknown field "${stranger}" in the answer.`;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
