import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Gate, scopesOf } from './gate.ts';

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
    ['Grep', { pattern: 'x', path: '/etc' }],
  ])('%s %o', (tool, input) => {
    expect(decide(new Gate({ cwd: CWD }), tool, input)).toBe('ask');
  });

  test('any tool that nobody knows', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^Zz\w*$/),
        fc.dictionary(fc.string(), fc.string()),
        (tool, input) => {
          expect(decide(new Gate({ cwd: CWD }), tool, input)).toBe('ask');
        },
      ),
    );
  });
});

describe("what is left to Claude's own rules", () => {
  test.each([
    ['Read', { file_path: '/workspace/a.txt' }],
    ['Read', { file_path: 'src/..a.txt' }],
    ['Read', { file_path: `/home/agent/.claude/projects/x/${SESSION}/tool-results/1.txt` }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: '/etc', path: 'src' }],
    ['Agent', { prompt: 'do it' }],
    ['AskUserQuestion', { questions: [] }],
    ['ExitPlanMode', { plan: '' }],
    ['StructuredOutput', {}],
    ['TaskCreate', {}],
  ])('%s %o', (tool, input) => {
    expect(decide(new Gate({ cwd: CWD }), tool, input)).toBeUndefined();
  });

  test.each([
    ['plan', '/home/a/.claude/plans/calm-cerf.md', undefined],
    ['default', '/home/a/.claude/plans/calm-cerf.md', 'ask'],
    ['plan', '/home/a/.claude/plans/../settings.json', 'ask'],
    ['plan', '/home/a/.claude/plans/deeper/x.md', 'ask'],
    ['plan', '/workspace/plan.md', 'ask'],
  ])('in %s mode, %s is a plan of Claude: %s', (mode, path, decision) => {
    const gate = new Gate({ cwd: CWD, plans: '/home/a/.claude/plans' });
    const call = { tool_name: 'Write', tool_input: { file_path: path }, permission_mode: mode };
    expect(gate.decide(call)).toBe(decision);
  });

  test('tools that the caller allowed as a whole', () => {
    const gate = new Gate({ cwd: CWD, allowedTools: ['Bash', 'Edit', 'mcp__a__b', 'mcp__all'] });
    expect(decide(gate, 'Bash', { command: 'rm -r /' })).toBeUndefined();
    expect(decide(gate, 'Write', { file_path: '/workspace/a.txt' })).toBeUndefined();
    expect(decide(gate, 'mcp__a__b', {})).toBeUndefined();
    expect(decide(gate, 'mcp__a__c', {})).toBe('ask');
    expect(decide(gate, 'mcp__all__anything', {})).toBeUndefined();
    expect(decide(gate, 'mcp__allother__x', {})).toBe('ask');
  });
});

describe('a narrow rule of the caller stays narrow', () => {
  const gate = new Gate({
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
    expect(decide(gate, tool, input)).toBeUndefined();
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
    expect(decide(gate, tool, input)).toBe('ask');
  });
});

describe('what would widen rights is asked for', () => {
  const gate = new Gate({ cwd: CWD, allowedTools: ['Edit'], protectedPaths: ['deploy'] });

  test.each(['.git/hooks/pre-commit', '.claude/settings.json', '.mcp.json', 'deploy/prod.sh'])(
    'an edit of %s, although edits are allowed',
    (path) => {
      gate.grant('Edit', {}, 'session');
      expect(decide(gate, 'Write', { file_path: `/workspace/${path}` })).toBe('ask');
      expect(decide(gate, 'Write', { file_path: '/workspace/a.txt' })).toBeUndefined();
    },
  );
});

describe('answers that hold for longer', () => {
  test('for the session: exactly this command, nothing like it', () => {
    const gate = new Gate({ cwd: CWD });
    expect(gate.grant('Bash', { command: 'npm test' }, 'session')).toEqual([]);
    expect(decide(gate, 'Bash', { command: 'npm test' })).toBe('allow');
    for (const command of ['npm test ', 'npm test; rm -rf /', 'npm', 'NPM TEST']) {
      expect(decide(gate, 'Bash', { command })).toBe('ask');
    }
    const unboxed = { command: 'npm test', dangerouslyDisableSandbox: true };
    expect(decide(gate, 'Bash', unboxed)).toBe('ask');
  });

  test('for the session: edits are left to a mode in which Claude accepts them in the workspace', () => {
    const gate = new Gate({ cwd: CWD });
    expect(gate.grant('Write', { file_path: '/workspace/a.txt' }, 'session')).toEqual([
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(decide(gate, 'Edit', { file_path: '/workspace/b.txt' })).toBeUndefined();
    expect(decide(gate, 'Bash', { command: 'touch a.txt' })).toBe('ask');
  });

  test("for always: becomes a rule in Claude's own settings of the workspace", () => {
    const gate = new Gate({ cwd: CWD, trusted: true });
    expect(gate.grant('Bash', { command: 'npm test' }, 'always')).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ]);
    expect(gate.grant('mcp__a-b__c', {}, 'always')[0]).toMatchObject({
      rules: [{ toolName: 'mcp__a-b__c' }],
    });
    expect(gate.grant('WebFetch', { url: 'https://example.com/a?b' }, 'always')[0]).toMatchObject({
      rules: [{ toolName: 'WebFetch', ruleContent: 'domain:example.com' }],
    });
  });

  test('for always: the settings of a folder that nobody trusted count for nothing', () => {
    const gate = new Gate({ cwd: CWD });
    const settings = { permissions: { allow: ['Bash(npm test)'] } };
    gate.learn({ sources: [{ source: 'localSettings', settings }] });
    expect(decide(gate, 'Bash', { command: 'npm test' })).toBe('ask');
    expect(gate.grant('Bash', { command: 'ls' }, 'always')).toEqual([]);
    expect(scopesOf('Bash', { command: 'ls' }, false)).toEqual(['once', 'session']);
  });

  test('for always: the rules of a trusted folder count word by word, those of other files do not', () => {
    const gate = new Gate({ cwd: CWD, trusted: true });
    const rules = (allow: string[]) => ({ permissions: { allow } });
    gate.learn({
      sources: [
        { source: 'userSettings', settings: rules(['Bash(user)']) },
        { source: 'projectSettings', settings: rules(['Bash(project)']) },
        { source: 'localSettings', settings: rules(['Bash(npm test)', 'Bash(git:*)', 'Bash']) },
      ],
    });
    expect(decide(gate, 'Bash', { command: 'npm test' })).toBeUndefined();
    for (const command of ['user', 'project', 'git log', 'git:*x', 'ls']) {
      expect(decide(gate, 'Bash', { command })).toBe('ask');
    }
  });

  test('only what can be kept is offered', () => {
    expect(scopesOf('Bash', { command: 'npm test' }, true)).toEqual(['once', 'session', 'always']);
    for (const command of ['rm *', 'echo (a)', 'cat <<E\nx\nE', 'a\\b']) {
      expect(scopesOf('Bash', { command }, true)).toEqual(['once', 'session']);
    }
    expect(scopesOf('Write', { file_path: 'a' }, true)).toEqual(['once', 'session']);
    expect(scopesOf('Read', { file_path: '/etc/hosts' }, true)).toEqual(['once', 'session']);
    expect(scopesOf('SomeNewTool', {}, true)).toEqual(['once']);
  });
});

function decide(gate: Gate, tool: string, input: Record<string, unknown>) {
  return gate.decide({ tool_name: tool, tool_input: input, session_id: SESSION });
}
