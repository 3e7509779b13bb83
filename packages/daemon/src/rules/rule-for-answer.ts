import { randomUUID } from 'node:crypto';
import { BatonError, type PermissionRequest, type PermissionScope } from '@baton/protocol';
import type { RuleRow, SessionRow } from '@baton/store';
import { patternFor } from './pattern.ts';
import { subjectOf } from './subject.ts';

export type WideAnswer = {
  scope: Exclude<PermissionScope, 'once'>;
  /** What else is allowed with it; exactly the same again unless told otherwise. */
  pattern?: string | undefined;
  by?: string | undefined;
  at: number;
};

/** The rules by which a request is not asked again, for its session or always in its folder. */
export function rulesForAnswer(
  request: PermissionRequest,
  { session_id, cwd }: SessionRow,
  { scope, pattern, by, at }: WideAnswer,
): RuleRow[] {
  const { texts } = subjectOf(request, cwd);
  if (texts.length === 0 && pattern !== undefined) {
    throw new BatonError('usage', `"${request.tool}" has nothing that a pattern could describe.`);
  }
  const patterns = pattern === undefined ? texts.map(patternFor) : [pattern];
  return (texts.length === 0 ? [null] : patterns).map((each) => ({
    rule_id: randomUUID(),
    session_id: scope === 'session' ? session_id : null,
    folder: scope === 'always' ? cwd : null,
    tool: request.tool,
    pattern: each,
    decision: 'allow',
    created_by: by ?? null,
    created_at: at,
  }));
}
