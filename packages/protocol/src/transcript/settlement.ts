import type { Action } from '../action.ts';
import type { PermissionEntry, QuestionEntry } from './entry.ts';

/** Phrases for requests that were not settled by a person. */
const SETTLED_BY: Readonly<Record<string, string>> = {
  policy: 'by a rule',
  nobody: 'because no one was there to ask',
  timeout: 'because no one answered in time',
  agent: 'by the agent itself',
  stop: 'because the task was stopped',
};
const HOW_LONG: Readonly<Record<string, string>> = {
  once: 'once',
  session: 'for the session',
  always: 'permanently',
};

/** Describes the outcome of a permission request, with its scope if it was allowed. */
export function permissionOutcome({
  decision,
  answer,
  scope,
  by,
  edited,
}: PermissionEntry): string {
  // Agents get a denial on a stop, so that they end; no user gave it.
  if (by === 'stop') return 'not answered';
  const decided = decision ?? (answer && 'decision' in answer ? answer.decision : undefined);
  if (decided === 'deny') return 'denied';
  if (decided !== 'allow') return 'not answered';
  // The agent is told about this once; for how long a person meant it only their answer says.
  const meant = answer && 'scope' in answer ? answer.scope : undefined;
  return `allowed ${HOW_LONG[meant ?? scope ?? 'once']}${edited ? ', edited' : ''}`;
}

/** The action of a settled request: the edited one if it was edited. */
export function settledAction({ request, edited }: PermissionEntry): Action {
  return edited?.action ?? request.action;
}

/** The answers to questions, by id; undefined without an answer. */
export function givenAnswers({
  answers,
  answer,
}: QuestionEntry): Record<string, string[]> | undefined {
  return answers ?? (answer && 'answers' in answer ? answer.answers : undefined);
}

/** Returns the phrase for a request that was not settled by a person; undefined otherwise. */
export function settledBy({ by }: PermissionEntry | QuestionEntry): string | undefined {
  return by === undefined ? undefined : SETTLED_BY[by];
}

/** The reason of the settlement, if there is one. */
export function settledWhy({ reason, answer, by }: PermissionEntry | QuestionEntry) {
  if (by === 'stop') return undefined;
  return reason ?? (answer && 'reason' in answer ? answer.reason : undefined);
}
