import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import type { Action, PermissionRequest } from '@baton/protocol';
import type { RuleRow, SessionRow } from '@baton/store';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decide } from './decide.ts';
import { isMatch, isWide, patternFor } from './pattern.ts';
import { rulesForAnswer } from './rule-for-answer.ts';

const place = { session_id: 's', cwd: '/projects/app' };

function request(action: Action, tool = 'Tool', input?: unknown): PermissionRequest {
  return { requestId: 'r', tool, action, input, scopes: ['once'] };
}
const command = (text: string, cwd?: string) => request({ type: 'command', command: text, cwd });
const edit = (...paths: string[]) =>
  request({
    type: 'file.edit',
    changes: paths.map((path) => ({ path, kind: 'edit' as const })),
  });

function rule(more: Partial<RuleRow>): RuleRow {
  return {
    rule_id: 'x',
    session_id: null,
    folder: '/projects',
    tool: 'Tool',
    pattern: null,
    decision: 'allow',
    created_by: null,
    created_at: 0,
    ...more,
  };
}

describe('a rule for edits', () => {
  const written = (input: object) =>
    request({ type: 'file.edit', changes: [{ path: 'src/a.ts', kind: 'edit' }] }, 'Tool', input);
  const rules = [rule({ folder: place.cwd, pattern: 'src/*' })];

  test.each([
    {},
    { path: 'src/a.ts', content: 'see ../other/file.ts' },
    { path: 'src/a.ts', mode: 'overwrite' },
    { path: 'src/a.ts', also: 'src/b.ts' },
  ])('allows an input that names nothing else: %j', (input) => {
    expect(decide(rules, written(input), place)).toBe('allow');
  });

  test.each([
    { path: 'src/a.ts', target_file: 'lib/b.ts' },
    { path: 'src/a.ts', target_file: '/etc/passwd' },
    { path: 'src/a.ts', nested: [{ file: '../b.ts' }] },
    { path: 'src/a.ts', patch: '*** Update File: lib/b.ts\n+x' },
    { path: 'src/a.ts', uri: 'file:///etc/passwd' },
    { path: 'src/a.ts', files: 'src/b.ts,lib/b.ts' },
    { path: 'src/a.ts', option: '--output=lib/b.ts' },
    { path: 'src/a.ts', command: 'npm test' },
  ])('asks about an input that may write another file: %j', (input) => {
    expect(decide(rules, written(input), place)).toBeUndefined();
  });

  test('asks about a protected file beside the one of the action, whatever the rule allows', () => {
    const input = { path: 'src/a.ts', target: '.git/hooks/pre-commit' };
    for (const pattern of [null, '*']) {
      expect(decide([rule({ pattern })], written(input), place)).toBeUndefined();
    }
  });
});

describe('a pattern', () => {
  test('made for a text describes that text and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        expect(isMatch(patternFor(text), text)).toBe(true);
        expect(isMatch(patternFor(text), other)).toBe(text === other);
        expect(isWide(patternFor(text))).toBe(false);
      }),
    );
  });

  test('has a star for anything', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (start, middle, end) => {
        const pattern = `${patternFor(start)}*${patternFor(end)}`;
        expect(isMatch(pattern, start + middle + end)).toBe(true);
        expect(isWide(pattern)).toBe(true);
      }),
    );
  });
});

describe('rules', () => {
  test('ignore unknown actions', () => {
    expect(decide([], command('ls'), place)).toBeUndefined();
    expect(decide([rule({ tool: 'Other' })], command('ls'), place)).toBeUndefined();
    expect(decide([rule({ folder: '/elsewhere' })], command('ls'), place)).toBeUndefined();
    expect(decide([rule({ folder: '/projects/ap' })], command('ls'), place)).toBeUndefined();
    expect(decide([rule({ folder: null, session_id: 't' })], command('ls'), place)).toBeUndefined();
  });

  test('are for one session, or for a folder and those in it', () => {
    expect(decide([rule({})], command('ls'), place)).toBe('allow');
    expect(decide([rule({ folder: '/projects/app' })], command('ls'), place)).toBe('allow');
    expect(decide([rule({ folder: null, session_id: 's' })], command('ls'), place)).toBe('allow');
  });

  test('that deny win over those that allow', () => {
    const rules = [rule({}), rule({ pattern: 'rm *', decision: 'deny' })];
    expect(decide(rules, command('ls'), place)).toBe('allow');
    expect(decide(rules, command('rm -rf x'), place)).toBe('deny');
  });

  test('with a star never allow a second command behind the first', () => {
    const rules = [rule({ pattern: 'npm *' })];
    expect(decide(rules, command('npm test'), place)).toBe('allow');
    for (const more of ['; rm x', ' && rm x', ' | sh', ' > x', '\nrm x', ' $(rm x)', ' `rm x`']) {
      expect(decide(rules, command(`npm test${more}`), place)).toBeUndefined();
    }
    const denied = [rule({ pattern: '*curl*', decision: 'deny' })];
    expect(decide(denied, command('ls; curl x'), place)).toBe('deny');
  });

  test('allow commands only inside their folder', () => {
    const rules = [rule({ folder: '/projects/app', pattern: 'make' })];
    expect(decide(rules, command('make', '/projects/app/src'), place)).toBe('allow');
    expect(decide(rules, command('make', '/projects'), place)).toBeUndefined();
  });

  test('compare paths from the root on, and all of them must be allowed', () => {
    const rules = [rule({ folder: '/projects/app', pattern: 'src/*' })];
    expect(decide(rules, edit('src/a.ts'), place)).toBe('allow');
    expect(decide(rules, edit('/projects/app/src/a.ts', './src/b.ts'), place)).toBe('allow');
    expect(decide(rules, edit('src/a.ts', 'package.json'), place)).toBeUndefined();
    expect(decide(rules, edit('src/../package.json'), place)).toBeUndefined();
    const denied = [...rules, rule({ pattern: '*.env', decision: 'deny' })];
    expect(decide(denied, edit('src/a.ts', 'src/.env'), place)).toBe('deny');
  });

  test('look through links, which may lead anywhere', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'baton-rules-')));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'app'));
    symlinkSync('/etc', join(root, 'app/link'));
    const here = { session_id: 's', cwd: join(root, 'app') };
    const rules = [rule({ folder: here.cwd, pattern: '*' })];
    expect(decide(rules, edit('new/file'), here)).toBe('allow');
    expect(decide(rules, edit('link/passwd'), here)).toBeUndefined();
  });

  test('allow what would widen rights only when they name exactly that file', () => {
    const wide = [rule({ pattern: '*' }), rule({})];
    expect(decide(wide, edit('src/a.ts'), place)).toBe('allow');
    for (const path of ['.git/hooks/pre-commit', '.claude/settings.json', 'src/.MCP.json']) {
      expect(decide(wide, edit(path), place)).toBeUndefined();
      expect(decide(wide, edit('src/a.ts', path), place)).toBeUndefined();
    }
    expect(decide(wide, edit('deploy/prod.sh'), place, ['deploy'])).toBeUndefined();
    const exact = [rule({ pattern: '/projects/app/.envrc' })];
    expect(decide(exact, edit('.envrc'), place)).toBe('allow');
    const denied = [rule({ pattern: '*', decision: 'deny' })];
    expect(decide(denied, edit('.envrc'), place)).toBe('deny');
  });

  test('know that an agent may mean a home with ~', () => {
    const rules = [rule({ folder: '/projects/app', pattern: '*' })];
    expect(decide(rules, edit('a~'), place)).toBe('allow');
    expect(decide(rules, edit('~/file'), place)).toBeUndefined();
    const denied = [rule({ folder: '/', pattern: `${homeFolder()}/*`, decision: 'deny' })];
    expect(decide(denied, edit('~/file'), place)).toBe('deny');
  });

  test('resolve .. from the target of a link, as the system does, and from the link, as agents do', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'baton-rules-')));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'app/src'), { recursive: true });
    mkdirSync(join(root, 'other/deep'), { recursive: true });
    symlinkSync(join(root, 'other/deep'), join(root, 'app/src/out'));
    symlinkSync(join(root, 'app/src'), join(root, 'in'));
    const here = { session_id: 's', cwd: join(root, 'app') };
    const rules = [rule({ folder: here.cwd, pattern: '*' })];
    expect(decide(rules, edit('src/../file'), here)).toBe('allow');
    expect(decide(rules, edit('src/out/../file'), here)).toBeUndefined();
    expect(decide(rules, edit(join(root, 'in/../file')), here)).toBeUndefined();
    const denied = [rule({ folder: '/', pattern: `${root}/other/*`, decision: 'deny' })];
    expect(decide(denied, edit('src/out/../file'), here)).toBe('deny');
    const make = [rule({ folder: here.cwd, pattern: 'make' })];
    expect(decide(make, command('make', 'src'), here)).toBe('allow');
    expect(decide(make, command('make', 'src/out/..'), here)).toBeUndefined();
    const asked = edit('src/out/../file');
    const made = rulesForAnswer(asked, here as SessionRow, { scope: 'always', at: 1 });
    expect(decide(made, asked, here)).toBe('allow');
  });
});

describe('an answer for longer than once', () => {
  const session = { ...place } as SessionRow;
  const wide = { scope: 'always' as const, at: 1, by: 'u' };

  test('makes a rule for exactly the same, in the folder of the session', () => {
    const asked = command('echo * && ls');
    const rules = rulesForAnswer(asked, session, wide);
    expect(rules).toMatchObject([{ folder: '/projects/app', session_id: null, created_by: 'u' }]);
    expect(decide(rules, asked, place)).toBe('allow');
    expect(decide(rules, command('echo x && ls'), place)).toBeUndefined();
  });

  test('makes a rule for the session alone', () => {
    const rules = rulesForAnswer(command('ls'), session, { ...wide, scope: 'session' });
    expect(rules).toMatchObject([{ folder: null, session_id: 's' }]);
  });

  test('allows all files of a change again, and the tool of an MCP server as a whole', () => {
    const change = edit('a', 'b');
    expect(decide(rulesForAnswer(change, session, wide), change, place)).toBe('allow');
    const mcp = request({ type: 'mcp', server: 's', tool: 't', arguments: { a: 1 } }, 'mcp__s__t');
    expect(decide(rulesForAnswer(mcp, session, wide), mcp, place)).toBe('allow');
    const other = request({ type: 'mcp', server: 's', tool: 't' }, 'mcp__s__t');
    expect(decide(rulesForAnswer(mcp, session, wide), other, place)).toBe('allow');
  });

  test('is rejected where its effect is unknown', () => {
    const unknown = request({ type: 'file.edit', changes: [] });
    expect(() => rulesForAnswer(unknown, session, wide)).toThrow('can only be allowed once');
    expect(() => rulesForAnswer(request({ type: 'fetch' }), session, wide)).toThrow();
    const mcp = request({ type: 'mcp', server: 's', tool: 't' });
    expect(() => rulesForAnswer(mcp, session, { ...wide, pattern: '*' })).toThrow();
  });

  test('accepts a wider pattern', () => {
    const rules = rulesForAnswer(command('npm test'), session, { ...wide, pattern: 'npm *' });
    expect(decide(rules, command('npm run lint'), place)).toBe('allow');
  });

  test.each([
    ['npm test', 'npm test\n'],
    ['npm test', 'npm run *'],
    ['npm test\nnpm start', 'npm *'],
  ])('to %j refuses the pattern %j, which does not match', (text, pattern) => {
    const make = () => rulesForAnswer(command(text), session, { ...wide, pattern });
    expect(make).toThrow('does not match');
  });
});
