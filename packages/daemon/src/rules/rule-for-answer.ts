import { randomUUID } from 'node:crypto';
import { BatonError, type PermissionRequest, type PermissionScope } from '@baton/protocol';
import type { RuleRow, SessionRow } from '@baton/store';
import { decide } from './decide.ts';
import { patternFor } from './pattern.ts';
import { subjectOf } from './subject.ts';

type WideAnswer = {
  scope: Exclude<PermissionScope, 'once'>;
  /** Pattern to allow; an exact match by default. */
  pattern?: string | undefined;
  /** Paths that no pattern allows to edit, in addition to the built-in list. */
  protectedPaths?: readonly string[] | undefined;
  by?: string | undefined;
  at: number;
};

/** The rules by which a request is not asked again, for its session or always in its folder. */
export function rulesForAnswer(
  request: PermissionRequest,
  { session_id, cwd }: SessionRow,
  { scope, pattern, protectedPaths, by, at }: WideAnswer,
): RuleRow[] {
  const { texts, isWholeTool } = subjectOf(request, cwd);
  if (texts.length === 0 && (!isWholeTool || pattern !== undefined)) {
    throw new BatonError(
      'usage',
      `The effect of "${request.tool}" is unknown, so it can only be allowed once.`,
    );
  }
  const patterns = pattern === undefined ? texts.map(patternFor) : [pattern];
  const rules = (isWholeTool ? [null] : patterns).map(
    (each): RuleRow => ({
      rule_id: randomUUID(),
      session_id: scope === 'session' ? session_id : null,
      folder: scope === 'always' ? cwd : null,
      tool: request.tool,
      pattern: each,
      decision: 'allow',
      created_by: by ?? null,
      created_at: at,
    }),
  );
  const allows = () => decide(rules, request, { session_id, cwd }, protectedPaths) === 'allow';
  if (pattern !== undefined && !allows()) {
    throw new BatonError('usage', 'The pattern does not match the requested action.', {
      hint: 'Every character and line must match, and * does not match several commands.',
    });
  }
  return rules;
}
