import type { Json } from '@baton/config/values/json';
import { describe, expect, test } from 'vitest';
import { asksAlways, sessionRules } from './permission-rules.ts';

const rule = (permission: string, pattern: string, action: string) => ({
  permission,
  pattern,
  action,
});
const agent = (name: string, mode: string, ...permission: Json[]) => ({ name, mode, permission });
const OUTPUT = rule('external_directory', '/home/me/.local/share/opencode/tool-output/*', 'allow');

/** Returns the action of the last rule that matches a request. */
function decision(rules: readonly Json[], permission: string, pattern = '*'): unknown {
  const fits = (glob: unknown, text: string) =>
    new RegExp(`^${String(glob).replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(text);
  return rules.findLast((each) => fits(each.permission, permission) && fits(each.pattern, pattern))
    ?.action;
}

describe('the rules of a session', () => {
  const main = agent(
    'build',
    'primary',
    rule('*', '*', 'allow'),
    rule('bash', '*', 'allow'),
    rule('ba*', 'git *', 'allow'),
    rule('bash', 'git push *', 'deny'),
    rule('edit', 'secrets/*', 'deny'),
    rule('external_directory', '/etc/*', 'allow'),
    rule('question', '*', 'deny'),
    rule('question', '*', 'allow'),
    rule('read', 'private/*', 'deny'),
    rule('read', '*', 'allow'),
    rule('read', '*.env', 'ask'),
    rule('*', '*', 'ask'),
    OUTPUT,
  );
  const { rules, disabled } = sessionRules([main]);

  test('ask for what the agent allows', () => {
    expect(decision(rules, 'bash', 'echo hi')).toBe('ask');
    expect(decision(rules, 'bash', 'git status')).toBe('ask');
    expect(decision(rules, 'edit', 'a.txt')).toBe('ask');
    expect(decision(rules, 'echo_say')).toBe('ask');
    expect(decision(rules, 'external_directory', '/etc/hosts')).toBe('ask');
    expect(asksAlways(rules)).toBe(true);
    expect(disabled).toEqual([]);
  });

  test('keep what the agent denies', () => {
    expect(decision(rules, 'bash', 'git push origin')).toBe('deny');
    expect(decision(rules, 'edit', 'secrets/key')).toBe('deny');
    expect(decision(rules, 'read', 'private/key')).toBe('deny');
  });

  test('let the agent read, but not what holds secrets', () => {
    expect(decision(rules, 'read', 'a.txt')).toBe('allow');
    expect(decision(rules, 'read', 'a/.env')).toBe('ask');
    expect(decision(rules, 'grep')).toBe('allow');
    expect(decision(rules, 'question')).toBe('allow');
    expect(decision(rules, 'external_directory', `${OUTPUT.pattern.slice(0, -1)}1`)).toBe('allow');
  });

  test('do not start a sub-agent that would not ask', () => {
    const asking = agent('general', 'subagent', rule('*', '*', 'ask'), rule('read', '*', 'allow'));
    const wild = agent('wild', 'subagent', rule('*', '*', 'ask'), rule('ba*', '*', 'allow'));
    const all = agent('evil', 'all', rule('*', '*', 'allow'));
    const other = agent('plan', 'primary', rule('*', '*', 'allow'));
    const restricted = sessionRules([main, asking, wild, all, other]);
    expect(restricted.disabled).toEqual(['wild', 'evil']);
    expect(decision(restricted.rules, 'task', 'wild')).toBe('deny');
    expect(decision(restricted.rules, 'task', 'general')).toBe('allow');
  });
});

test.each([
  ['no rules', [], false],
  ['a rule that allows all', [rule('*', '*', 'allow')], false],
  ['a rule that asks for all', [rule('*', '*', 'ask')], true],
  ['a command after it', [rule('*', '*', 'ask'), rule('bash', 'ls *', 'allow')], false],
  ['a command before it', [rule('bash', '*', 'allow'), rule('*', '*', 'ask')], true],
  ['something unreadable', 'allow', false],
])('%s: asks always is judged right', (_, rules, expected) => {
  expect(asksAlways(rules)).toBe(expected);
});
