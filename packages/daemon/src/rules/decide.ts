import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { isProtected } from '@baton/config/paths/protected-paths';
import { isSingleCommand } from '@baton/config/values/command-words';
import { editedPaths } from '@baton/engine/run/permission-policy';
import { possiblePaths } from '@baton/engine/run/possible-paths';
import type { PermissionRequest } from '@baton/protocol';
import type { RuleRow, SessionRow } from '@baton/store';
import { isMatch, isWide, patternFor } from './pattern.ts';
import { readings, type Subject, subjectOf, whole } from './subject.ts';

type Place = Pick<SessionRow, 'session_id' | 'cwd'>;

/** Returns the decision of the rules on a request; undefined if a user has to decide. Denying rules take precedence. */
export function decide(
  rules: readonly RuleRow[],
  request: PermissionRequest,
  place: Place,
  protectedPaths: readonly string[] = [],
): 'allow' | 'deny' | undefined {
  const subject = subjectOf(request, place.cwd);
  const { texts } = subject;
  const own = rules.filter((rule) => rule.tool === request.tool && isFor(rule, place));
  const denying = own.filter(({ decision }) => decision === 'deny');
  const allowing = own.filter(({ decision }) => decision === 'allow');
  if (denying.some(({ pattern }) => pattern === null)) return 'deny';
  if (texts.some((text) => denying.some((rule) => forbids(rule, subject, text, place)))) {
    return 'deny';
  }
  const others = otherPaths(request, place.cwd);
  // Nobody can see what such an input may write.
  if (others === undefined) return undefined;
  const widens = [...editedPaths(request.action), ...others].some((path) =>
    isProtected(place.cwd, path, protectedPaths),
  );
  if (allowing.some(({ pattern }) => pattern === null) && !widens) return 'allow';
  const isAllowed = (text: string) =>
    allowing.some((rule) => allows(rule, subject, text, place, widens));
  return texts.length > 0 && [...texts, ...others].every(isAllowed) ? 'allow' : undefined;
}

/** Files that the input of an edit names besides those of its action: a tool may write these instead. */
function otherPaths({ action, input }: PermissionRequest, cwd: string): string[] | undefined {
  if (action.type !== 'file.edit') return [];
  const isPath = (text: string) => /[./~]/.test(text) || existsSync(resolve(cwd, text));
  const named = possiblePaths(input, cwd)?.filter((text) => text !== '' && isPath(text));
  return named && [...new Set(named.flatMap((path) => readings(path, cwd)))];
}

/** True if a rule applies to a session: to this one, or to all in its folder. */
function isFor({ session_id, folder }: RuleRow, place: Place): boolean {
  if (session_id !== null) return session_id === place.session_id;
  return folder !== null && isInside(folder, place.cwd, { orEqual: true });
}

function forbids(rule: RuleRow, { kind }: Subject, text: string, place: Place): boolean {
  return isMatch(patternIn(rule, kind, place), text);
}

function allows(
  rule: RuleRow,
  { kind, folders = [] }: Subject,
  text: string,
  place: Place,
  widens: boolean,
): boolean {
  if (!isMatch(patternIn(rule, kind, place), text)) return false;
  // What would widen an agent's rights is allowed only by a rule for exactly that file.
  if (widens && isWide(rule.pattern ?? '*')) return false;
  if (kind !== 'command') return true;
  if (!folders.every((folder) => isInside(folderOf(rule, place), folder, { orEqual: true })))
    return false;
  // "npm *" must not allow "npm test; curl …".
  return !isWide(rule.pattern ?? '') || isSingleCommand(text);
}

function patternIn(rule: RuleRow, kind: Subject['kind'], place: Place): string {
  const { pattern } = rule;
  if (pattern === null) return '*';
  return kind !== 'path' || pattern.startsWith('/')
    ? pattern
    : `${patternFor(folderOf(rule, place))}/${pattern}`;
}

function folderOf(rule: RuleRow, place: Place): string {
  return whole(rule.folder ?? place.cwd);
}
