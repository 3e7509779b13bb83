import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PermissionHook, scopesOf } from './permission-hook.ts';

const CWD = '/workspace';
const SESSION = '0b7e9f3c-0000-4000-8000-000000000000';

describe('what must be asked for', () => {
  test.each([
    ['Bash', { command: 'echo hi' }],
    ['Write', { file_path: '/workspace/a.txt', content: '' }],
    ['Edit', { file_path: '/workspace/a.txt' }],
    ['NotebookEdit', { notebook_path: '/workspace/a.ipynb' }],
    ['WebFetch', { url: 'https://example.com' }],
    ['WebSearch', { query: 'cats' }],
    ['mcp__server__tool', {}],
    ['SomeNewTool', { anything: true }],
    ['Read', { file_path: '/etc/passwd' }],
    ['Read', { file_path: '../secret' }],
    ['Read', { file_path: '/workspace/../etc/passwd' }],
    ['Read', { file_path: '/workspace-of-another/a.txt' }],
    ['Glob', { pattern: '/etc/*' }],
    ...[
      '{/etc,x}/*',
      '{x,/etc}/*',
      '@(/etc|x)/*',
      '{~,x}/*',
      '[.][.]/*',
      '{x,..}/*',
      'a/{..,b}/../*',
    ].map((pattern) => ['Glob', { pattern }] as [string, Record<string, unknown>]),
    ['Grep', { pattern: 'x', path: '/etc' }],
  ])('%s %o', (tool, input) => {
    expect(decide(new PermissionHook({ cwd: CWD }), tool, input)).toBe('ask');
  });

  test('any unknown tool', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^Zz\w*$/),
        fc.dictionary(fc.string(), fc.string()),
        (tool, input) => {
          expect(decide(new PermissionHook({ cwd: CWD }), tool, input)).toBe('ask');
        },
      ),
    );
  });
});

describe("what Claude's own rules decide", () => {
  test.each([
    ['Read', { file_path: '/workspace/a.txt' }],
    ['Read', { file_path: 'src/..a.txt' }],
    ['Read', { file_path: `/home/agent/.claude/projects/x/${SESSION}/tool-results/1.txt` }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Glob', { pattern: 'src/{a,b}/**/*.[jt]s{,x}' }],
    ['Grep', { pattern: '/etc', path: 'src' }],
    ['Agent', { prompt: 'do it' }],
    ['AskUserQuestion', { questions: [] }],
    ['ExitPlanMode', { plan: '' }],
    ['StructuredOutput', {}],
    ['TaskCreate', {}],
  ])('%s %o', (tool, input) => {
    expect(decide(new PermissionHook({ cwd: CWD }), tool, input)).toBeUndefined();
  });

  test.each([
    ['plan', '/home/a/.claude/plans/calm-cerf.md', undefined],
    ['default', '/home/a/.claude/plans/calm-cerf.md', 'ask'],
    ['plan', '/home/a/.claude/plans/../settings.json', 'ask'],
    ['plan', '/home/a/.claude/plans/deeper/x.md', 'ask'],
    ['plan', '/workspace/plan.md', 'ask'],
  ])('in %s mode, %s is a plan of Claude: %s', (mode, path, decision) => {
    const hook = new PermissionHook({ cwd: CWD, plans: '/home/a/.claude/plans' });
    const call = { tool_name: 'Write', tool_input: { file_path: path }, permission_mode: mode };
    expect(hook.decide(call)).toBe(decision);
  });

  test('tools that the caller allowed as a whole', () => {
    const hook = new PermissionHook({
      cwd: CWD,
      allowedTools: ['Bash', 'Edit', 'mcp__a__b', 'mcp__all'],
    });
    expect(decide(hook, 'Bash', { command: 'rm -r /' })).toBeUndefined();
    expect(decide(hook, 'Write', { file_path: '/workspace/a.txt' })).toBeUndefined();
    expect(decide(hook, 'mcp__a__b', {})).toBeUndefined();
    expect(decide(hook, 'mcp__a__c', {})).toBe('ask');
    expect(decide(hook, 'mcp__all__anything', {})).toBeUndefined();
    expect(decide(hook, 'mcp__allother__x', {})).toBe('ask');
  });
});

describe('a narrow rule of the caller stays narrow', () => {
  const hook = new PermissionHook({
    cwd: CWD,
    allowedTools: [
      'Bash(git log:*)',
      'Bash(npm test)',
      'WebFetch(domain:example.com)',
      'Edit(src/**)',
      'Read(//etc/hosts)',
    ],
  });

  test.each([
    ['Bash', { command: 'git log' }],
    ['Bash', { command: 'git log --oneline -5' }],
    ['Bash', { command: 'npm test' }],
    ['WebFetch', { url: 'https://example.com/a' }],
    ['Write', { file_path: '/workspace/src/deep/a.ts' }],
    ['Read', { file_path: '/etc/hosts' }],
  ])('%s %o is left to Claude', (tool, input) => {
    expect(decide(hook, tool, input)).toBeUndefined();
  });

  test.each([
    ['Bash', { command: 'rm -rf /home/me' }],
    ['Bash', { command: 'git logout' }],
    ['Bash', { command: 'git push' }],
    ['Bash', { command: 'git log; rm -rf /home/me' }],
    ['Bash', { command: 'git log && rm x' }],
    ['Bash', { command: 'git log > ~/.bashrc' }],
    ['Bash', { command: 'git log $(rm x)' }],
    ['Bash', { command: 'git log\nrm x' }],
    ['Bash', { command: 'npm test -- x' }],
    ['WebFetch', { url: 'https://example.com.evil.org' }],
    ['Write', { file_path: '/workspace/other/a.ts' }],
    ['Write', { file_path: '/workspace/src/../other/a.ts' }],
    ['Write', { file_path: '/workspace/src/.claude/settings.json' }],
    ['Read', { file_path: '/etc/passwd' }],
  ])('%s %o is asked for', (tool, input) => {
    expect(decide(hook, tool, input)).toBe('ask');
  });
});

describe('what would widen rights is asked for', () => {
  const hook = new PermissionHook({ cwd: CWD, allowedTools: ['Edit'], protectedPaths: ['deploy'] });

  test.each(['.git/hooks/pre-commit', '.claude/settings.json', '.mcp.json', 'deploy/prod.sh'])(
    'an edit of %s, although edits are allowed',
    (path) => {
      hook.grant('Edit', {}, 'session');
      expect(decide(hook, 'Write', { file_path: `/workspace/${path}` })).toBe('ask');
      expect(decide(hook, 'Write', { file_path: '/workspace/a.txt' })).toBeUndefined();
    },
  );
});

describe('answers with a longer scope', () => {
  test('for the session: exactly this command, nothing like it', () => {
    const hook = new PermissionHook({ cwd: CWD });
    expect(hook.grant('Bash', { command: 'npm test' }, 'session')).toEqual([]);
    expect(decide(hook, 'Bash', { command: 'npm test' })).toBe('allow');
    for (const command of ['npm test ', 'npm test; rm -rf /', 'npm', 'NPM TEST']) {
      expect(decide(hook, 'Bash', { command })).toBe('ask');
    }
    const unboxed = { command: 'npm test', dangerouslyDisableSandbox: true };
    expect(decide(hook, 'Bash', unboxed)).toBe('ask');
  });

  test('for the session: edits are left to a mode in which Claude accepts them in the workspace', () => {
    const hook = new PermissionHook({ cwd: CWD });
    expect(hook.grant('Write', { file_path: '/workspace/a.txt' }, 'session')).toEqual([
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(decide(hook, 'Edit', { file_path: '/workspace/b.txt' })).toBeUndefined();
    expect(decide(hook, 'Bash', { command: 'touch a.txt' })).toBe('ask');
  });

  test("for always: becomes a rule in Claude's own settings of the workspace", () => {
    const hook = new PermissionHook({ cwd: CWD, trusted: true });
    expect(hook.grant('Bash', { command: 'npm test' }, 'always')).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ]);
    expect(hook.grant('mcp__a-b__c', {}, 'always')[0]).toMatchObject({
      rules: [{ toolName: 'mcp__a-b__c' }],
    });
    expect(hook.grant('WebFetch', { url: 'https://example.com/a?b' }, 'always')[0]).toMatchObject({
      rules: [{ toolName: 'WebFetch', ruleContent: 'domain:example.com' }],
    });
  });

  test('always: the settings of an untrusted folder are ignored', () => {
    const hook = new PermissionHook({ cwd: CWD });
    const settings = { permissions: { allow: ['Bash(npm test)'] } };
    hook.learn({ sources: [{ source: 'localSettings', settings }] });
    expect(decide(hook, 'Bash', { command: 'npm test' })).toBe('ask');
    expect(hook.grant('Bash', { command: 'ls' }, 'always')).toEqual([]);
    expect(scopesOf('Bash', { command: 'ls' }, false)).toEqual(['once', 'session']);
  });

  test('always: the rules of a trusted folder match exactly, those of other files are ignored', () => {
    const hook = new PermissionHook({ cwd: CWD, trusted: true });
    const rules = (allow: string[]) => ({ permissions: { allow } });
    hook.learn({
      sources: [
        { source: 'userSettings', settings: rules(['Bash(user)']) },
        { source: 'projectSettings', settings: rules(['Bash(project)']) },
        { source: 'localSettings', settings: rules(['Bash(npm test)', 'Bash(git:*)', 'Bash']) },
      ],
    });
    expect(decide(hook, 'Bash', { command: 'npm test' })).toBeUndefined();
    for (const command of ['user', 'project', 'git log', 'git:*x', 'ls']) {
      expect(decide(hook, 'Bash', { command })).toBe('ask');
    }
  });

  test('offers only scopes that can be enforced', () => {
    expect(scopesOf('Bash', { command: 'npm test' }, true)).toEqual(['once', 'session', 'always']);
    for (const command of ['rm *', 'echo (a)', 'cat <<E\nx\nE', 'a\\b']) {
      expect(scopesOf('Bash', { command }, true)).toEqual(['once', 'session']);
    }
    expect(scopesOf('Write', { file_path: 'a' }, true)).toEqual(['once', 'session']);
    expect(scopesOf('Read', { file_path: '/etc/hosts' }, true)).toEqual(['once', 'session']);
    expect(scopesOf('SomeNewTool', {}, true)).toEqual(['once']);
  });
});

function decide(hook: PermissionHook, tool: string, input: Record<string, unknown>) {
  return hook.decide({ tool_name: tool, tool_input: input, session_id: SESSION });
}
