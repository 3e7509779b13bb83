import { array, type Json, object, string } from '@baton/config/values/json';

/** Permissions that need no approval: they only read, take notes, or start a sub-agent whose tools ask. */
const READ_ONLY: readonly string[] = [
  'read',
  'glob',
  'grep',
  'list',
  'lsp',
  'skill',
  'task',
  'todowrite',
  'question',
];

/** The rules of a mode that asks, in the form of OpenCode's configuration. */
export const ASKING: Json = {
  '*': 'ask',
  ...Object.fromEntries(READ_ONLY.map((name) => [name, 'allow'])),
  read: { '*': 'allow', '*.env': 'ask', '*.env.*': 'ask', '*.env.example': 'allow' },
};

/** One rule as the server tells it; the last that fits counts. */
type Rule = { permission: string; pattern: string; action: string };

const ASKING_RULES: readonly Rule[] = Object.entries(ASKING).flatMap(([permission, rule]) =>
  typeof rule === 'string'
    ? [{ permission, pattern: '*', action: rule }]
    : Object.entries(object(rule)).map(([pattern, action]) => ({
        permission,
        pattern,
        action: String(action),
      })),
);

/**
 * The rules for a session, which override those of user, folder and agent: allowed actions require approval, and denied
 * ones stay denied. Sub-agents that would not ask are disabled.
 */
export function sessionRules(agents: unknown): { rules: Rule[]; disabled: string[] } {
  const [main, ...others] = array(agents).map(object);
  const disabled = others
    .filter(({ mode, permission }) => mode !== 'primary' && !asksAlways(permission))
    .map(({ name }) => String(name));
  const own = readRules(main?.permission).filter(
    (rule) => !isForAll(rule) || rule.action === 'deny',
  );
  const asking = own.map((rule) => (isHarmless(rule) ? rule : { ...rule, action: 'ask' }));
  // OpenCode has put the rules for reading, which come with the environment, behind the user's.
  const unread = own.filter(
    ({ permission, pattern, action }) =>
      action === 'deny' && pattern !== '*' && READ_ONLY.includes(permission),
  );
  const denied = disabled.map((pattern) => ({ permission: 'task', pattern, action: 'deny' }));
  return { rules: [...ASKING_RULES, ...asking, ...unread, ...denied], disabled };
}

/** True if the rules allow nothing but reading without asking. */
export function asksAlways(permission: unknown): boolean {
  const rules = readRules(permission);
  const last = rules.findLastIndex((rule) => isForAll(rule) && rule.action !== 'allow');
  return last !== -1 && rules.slice(last).every(isHarmless);
}

function readRules(rules: unknown): Rule[] {
  return array(rules).map((each) => {
    const { permission, pattern, action } = object(each);
    return {
      permission: string(permission) ?? '*',
      pattern: string(pattern) ?? '*',
      action: string(action) ?? 'ask',
    };
  });
}

function isForAll({ permission, pattern }: Rule): boolean {
  return permission === '*' && pattern === '*';
}

function isHarmless({ permission, pattern, action }: Rule): boolean {
  if (action !== 'allow' || READ_ONLY.includes(permission)) return true;
  // Where OpenCode puts long output of its tools; it always lets its agents read that.
  return permission === 'external_directory' && pattern.endsWith('/opencode/tool-output/*');
}
