import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isProtected } from '@baton/config/paths/protected-paths';
import { isOnPath } from '@baton/config/paths/protected-structure';
import { type Action, PERMISSION_MODES } from '@baton/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Registry } from '../../../agents/src/registry/registry.ts';
import { TEXT_KEYS } from '../normalize/actions.ts';
import { allowedByMode } from './permission-policy.ts';

const protectedPaths = new Registry().settingsPaths();

let base: string;
let folder: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'policy-')));
  folder = join(base, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(base, 'project-two'));
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.txt'), '');
  symlinkSync(join(base, 'outside'), join(folder, 'link-out'));
  symlinkSync(join(base, 'outside', 'secret.txt'), join(folder, 'file-out'));
  symlinkSync(join(base, 'outside', 'not-there-yet.txt'), join(folder, 'dangling-out'));
  symlinkSync('../outside/not-there-yet.txt', join(folder, 'relative-out'));
  symlinkSync('dangling-out', join(folder, 'link-to-link-out'));
  symlinkSync('loop-b', join(folder, 'loop-a'));
  symlinkSync('loop-a', join(folder, 'loop-b'));
  symlinkSync('src', join(folder, 'link-in'));
  symlinkSync('src/deep', join(folder, 'deep-in'));
  symlinkSync('src/not-there-yet.ts', join(folder, 'dangling-in'));
  symlinkSync(folder, join(base, 'alias'));
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  mkdirSync(join(folder, 'real-claude'));
  symlinkSync('.git', join(folder, 'docs'));
  symlinkSync('real-claude', join(folder, '.claude'));
  symlinkSync('.claude', join(folder, 'notes'));
  mkdirSync(join(folder, 'tools/python'), { recursive: true });
  writeFileSync(join(folder, 'tools/python/pyvenv.cfg'), '');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function edit(path: string, newPath?: string): Action {
  return { type: 'file.edit', changes: [{ path, kind: newPath ? 'rename' : 'edit', newPath }] };
}

/** True if `auto` allows an edit of a path in the project. */
function passes(path: string, cwd = folder): boolean {
  return allowedByMode('auto', { action: edit(path) }, { cwd, protectedPaths });
}

describe('auto asks about an edit whose input could name more', () => {
  test.each([
    ['a file as a key', { path: 'ok.txt', changes: { HEAD: 'x' } }],
    ['a file as a key in a list', { path: 'ok.txt', edits: [{ Jenkinsfile: { content: 'x' } }] }],
    [
      'a diff of another file',
      { path: 'ok.txt', diff: '--- a/x\n+++ b/.git/config\n@@ -1 +1 @@\n' },
    ],
    [
      'a diff that renames',
      { path: 'ok.txt', diff: 'diff --git a/x b/.git/x\nrename to .git/x\n' },
    ],
    ['a patch in its own format', { path: 'ok.txt', diff: '*** Update File: .git/config\n+x\n' }],
  ])('%s', (_, input) => {
    expect(allowedByMode('auto', { action: edit('ok.txt'), input }, { cwd: folder })).toBe(false);
  });

  test('but not about text that replaces text', () => {
    const input = { path: 'ok.txt', diff: '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n' };
    expect(allowedByMode('auto', { action: edit('ok.txt'), input }, { cwd: folder })).toBe(true);
  });

  test.each([
    ...['commondir', 'config.worktree', 'worktrees/w/commondir', 'modules/m/config'].map(
      (name) => `bare/${name}`,
    ),
    ...['lefthook.toml', 'lefthook.json', 'lefthook-local.yml', 'azure-pipelines.yaml'],
    ...['kilo.json', 'kilo.jsonc', 'tui.json'],
  ])('%s', (path) => {
    mkdirSync(join(folder, 'bare'), { recursive: true });
    writeFileSync(join(folder, 'bare/HEAD'), 'ref: refs/heads/main\n');
    expect(passes(path)).toBe(false);
  });
});

describe('auto lets edits in the folder pass', () => {
  test.each([
    'a.txt',
    './a.txt',
    'src/a.ts',
    'src/new/deep/b.ts',
    'src/../a.txt',
    '..a.txt',
    '...',
    'link-in/a.ts',
    'dangling-in',
    'with space.txt',
  ])('%s', (path) => {
    expect(passes(path)).toBe(true);
    expect(passes(join(folder, path))).toBe(true);
  });

  test('also when the folder is reached through a link', () => {
    expect(passes('a.txt', join(base, 'alias'))).toBe(true);
    expect(passes(join(folder, 'a.txt'), join(base, 'alias'))).toBe(true);
    expect(passes(join(base, 'alias', 'a.txt'))).toBe(true);
  });

  test('also a rename inside it', () => {
    expect(allowedByMode('auto', { action: edit('a.txt', 'src/b.txt') }, { cwd: folder })).toBe(
      true,
    );
  });
});

describe('auto asks before an edit leaves the folder', () => {
  test.each([
    ['the folder itself', '.'],
    ['the folder itself, by no name', ''],
    ['the folder above', '..'],
    ['a file above', '../a.txt'],
    ['a file above, the long way', 'src/../../a.txt'],
    ['a neighbour whose name begins alike', '../project-two/a.txt'],
    ['a file of the system', '/etc/hosts'],
    ['a file in the home folder', '~/.profile'],
    ['a file in the home folder of another', '~other/.profile'],
    ['a folder behind a link', 'link-out/new.txt'],
    ['a file behind a link', 'file-out'],
    ['a file that does not exist yet, behind a link', 'dangling-out'],
    ['the same through a relative link', 'relative-out'],
    ['the same through two links', 'link-to-link-out'],
    ['links that go in a circle', 'loop-a'],
    ['something below a circle', 'loop-a/x.txt'],
    ['a file that is outside only for those who follow links first', 'link-out/../a.txt'],
    ['a file that is inside only for those who follow links first', 'deep-in/../../a.txt'],
  ])('%s', (_name, path) => {
    expect(passes(path)).toBe(false);
  });

  test('when one of several changes does', () => {
    const changes = [
      { path: 'a.txt', kind: 'edit' as const },
      { path: '../b.txt', kind: 'add' as const },
    ];
    expect(allowedByMode('auto', { action: { type: 'file.edit', changes } }, { cwd: folder })).toBe(
      false,
    );
  });

  test('when a rename leads out of it, or into it', () => {
    expect(allowedByMode('auto', { action: edit('a.txt', '../a.txt') }, { cwd: folder })).toBe(
      false,
    );
    expect(allowedByMode('auto', { action: edit('../a.txt', 'a.txt') }, { cwd: folder })).toBe(
      false,
    );
  });

  test('when it is not known what changes', () => {
    expect(
      allowedByMode('auto', { action: { type: 'file.edit', changes: [] } }, { cwd: folder }),
    ).toBe(false);
  });
});

describe('auto asks before an edit that would widen rights', () => {
  test.each([
    '.git/hooks/pre-commit',
    '.git/config',
    'vendor/lib/.git/config',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.cursor/mcp.json',
    '.opencode/plugin/x.js',
    '.factory/settings.json',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.husky/pre-push',
    '.envrc',
    '.mcp.json',
    'baton.json',
    'packages/a/baton.json',
    '.baton-demo.json',
    'node_modules/.bin/claude',
    'packages/a/node_modules/.bin/eslint',
    '.bashrc',
    '.zshenv',
    '.profile',
    '.config/fish/config.fish',
    // Tools that run what these name, or that find programs there:
    '.cargo/config.toml',
    '.venv/bin/python',
    'venv/bin/python',
    'tools/python/bin/activate',
    'tools/new/pyvenv.cfg',
    '.yarn/releases/yarn.cjs',
    'mise.toml',
    '.mise.toml',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.tmux.conf',
    '.xprofile',
    '.emacs.d/init.el',
    '.config/nvim/init.lua',
    '.gdbinit',
    '.netrc',
    '.bashrc.d/x',
    'Library/LaunchAgents/x.plist',
    // Settings of agents, also of those that nobody has used here:
    '.qwen/settings.json',
    '.kiro/settings.json',
    '.clinerules',
    '.crush.json',
    'crush.json',
    '.config/goose/config.yaml',
    '.aider.conf.yml',
    '.goosehints',
    'opencode.json',
    '.an-agent-of-tomorrow/hooks.json',
    // What Baton runs:
    'chains.json',
    'chains.jsonc',
    'packages/a/chains.yaml',
    'forge/orch/chains.yml',
    // However it is written:
    'CHAINS.JSON',
    '.Venv/bin/python',
    '.GIT/hooks/pre-commit',
    '.Claude/settings.json',
    'NODE_MODULES/.BIN/claude',
    '.g\u200cit/config',
    'src/../.git/config',
    './/.git//config',
    // Through links, also through a link that has a protected name itself:
    'docs/hooks/pre-commit',
    'notes/settings.json',
    'real-claude/../.claude/settings.json',
  ])('%j', (path) => {
    expect(passes(path)).toBe(false);
    expect(passes(join(folder, path))).toBe(false);
    expect(passes(path, join(base, 'alias'))).toBe(false);
  });

  test('a move to such a place, or from one', () => {
    const moved = (from: string, to: string) =>
      allowedByMode('auto', { action: edit(from, to) }, { cwd: folder });
    expect(moved('hook.sh', '.git/hooks/pre-commit')).toBe(false);
    expect(moved('.envrc', 'old.txt')).toBe(false);
    expect(moved('hook.sh', 'docs/hooks/pre-commit')).toBe(false);
  });

  test('also what the user has added to the list', () => {
    const allowed = (path: string) =>
      allowedByMode(
        'auto',
        { action: edit(path) },
        { cwd: folder, protectedPaths: ['deploy', 'ops/keys'] },
      );
    expect(allowed('deploy/prod.yaml')).toBe(false);
    expect(allowed('Deploy/prod.yaml')).toBe(false);
    expect(allowed('ops/keys/a')).toBe(false);
    expect(allowed('ops/readme.md')).toBe(true);
  });

  test.each([
    'git/config',
    'src/.gitignore',
    'claude/x',
    'docs-of.git/x',
    'node_modules/bin/x',
    'src/chains.ts',
    'src/mise.toml.md',
    'src/venv.ts',
    'src/hooks/use-x.ts',
    'src/config/index.ts',
    'src/refs/x.ts',
    'src/head/index.ts',
    'head.ts',
  ])('but not %s, which only looks like one', (path) => expect(passes(path)).toBe(true));

  test.each([
    ...['package.json', 'Makefile', 'CLAUDE.md', 'AGENTS.md', '.env', '.env.local'],
    ...['.gitignore', '.gitattributes', '.editorconfig', '.dockerignore', '.prettierrc.json'],
    ...['.eslintrc.cjs', '.nvmrc', 'src/.gitkeep', 'public/.well-known/security.txt'],
  ])('but not %s, an ordinary file of a project', (path) => expect(passes(path)).toBe(true));

  test('where the folder itself lies does not count', () => {
    const worktree = join(folder, '.claude/worktrees/one');
    mkdirSync(worktree, { recursive: true });
    expect(passes('a.txt', worktree)).toBe(true);
    expect(passes('.git', worktree)).toBe(false);
  });
});

describe('auto asks before an edit of what Git or a shell finds in the folder', () => {
  /** Makes a repository whose settings are these, and returns its folder. */
  function repository(config: string, name = '.git/config'): string {
    const place = mkdtempSync(join(folder, 'repository-'));
    mkdirSync(join(place, name, '..'), { recursive: true });
    mkdirSync(join(place, '.git'), { recursive: true });
    writeFileSync(join(place, name), config);
    return place;
  }

  test.each([
    ['[core]\n\thooksPath = githooks\n', 'githooks/pre-commit'],
    ['[core]\n\thookspath = "tools/git hooks"\n', 'tools/git hooks/post-checkout'],
    ['[core]\n\tHooksPath = ./githooks/\n', 'GitHooks/pre-push'],
    ['[core]\n\tfsmonitor = ./tools/watch.sh --all\n', 'tools/watch.sh'],
    ['[filter "strip"]\n\tclean = "python tools/strip.py %f"\n', 'tools/strip.py'],
    ['[diff "image"]\n\ttextconv = sh -c \'tools/text.sh "$1"\'\n', 'tools/text.sh'],
    ['[alias]\n\tst = !tools/st.sh; true\n', 'tools/st.sh'],
    ['[include]\n\tpath = ../gitconfig\n', 'gitconfig'],
    ['[includeIf "gitdir:~/"]\n\tpath = ../config/git.inc\n', 'config/git.inc'],
  ])('%j names %s', (config, path) => {
    const place = repository(config);
    expect(passes(path, place)).toBe(false);
    expect(passes(join(place, path))).toBe(false);
    expect(passes('src/a.ts', place)).toBe(true);
    expect(passes('tools/other.sh', place)).toBe(true);
  });

  test('also in a worktree, whose settings are elsewhere, and behind a link', () => {
    const main = repository('[core]\n\thooksPath = githooks\n');
    const data = join(main, '.git/worktrees/one');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'commondir'), '../..\n');
    writeFileSync(join(data, 'config.worktree'), '[core]\n\tfsmonitor = bin/watch\n');
    const worktree = mkdtempSync(join(folder, 'worktree-'));
    writeFileSync(join(worktree, '.git'), `gitdir: ${data}\n`);
    symlinkSync('githooks', join(worktree, 'docs'));
    for (const path of ['githooks/pre-commit', 'docs/pre-commit', 'bin/watch']) {
      expect(passes(path, worktree)).toBe(false);
    }
  });

  test('a move of a folder to where the hooks are looked for', () => {
    const place = repository('[core]\n\thooksPath = tools/githooks\n');
    const moved = { action: edit('evil', 'tools') };
    expect(allowedByMode('auto', moved, { cwd: place })).toBe(false);
    expect(allowedByMode('auto', { action: edit('evil', 'tool') }, { cwd: place })).toBe(true);
  });

  test('but not because of branches, remotes and URLs', () => {
    const place = repository(
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[remote "origin"]\n\turl = ../main\n[core]\n\tbare = false\n',
    );
    for (const path of ['origin/a.ts', 'false', 'main', 'heads/main']) {
      expect(passes(path, place)).toBe(true);
    }
  });

  test('a program in a folder that is on PATH', () => {
    const PATH = `relative:/home/one/bin/:${join(base, 'tools')}`;
    for (const place of ['/home/one/bin/git', '/home/one/BIN/git', join(base, 'tools/deep/ls')]) {
      expect(isOnPath(place, { PATH })).toBe(true);
    }
    for (const place of [join(folder, 'relative/git'), '/home/one/binary', '/home/one/src/bin/x']) {
      expect(isOnPath(place, { PATH })).toBe(false);
    }
    const programs = dirname(process.execPath);
    expect(isProtected(dirname(programs), `${basename(programs)}/git`)).toBe(isOnPath(programs));
  });

  test.each(['one.code-workspace', 'packages/a/B.Code-Workspace'])('%s of an editor', (path) => {
    expect(passes(path)).toBe(false);
  });
});

const others: Action[] = [
  { type: 'command', command: 'ls' },
  { type: 'fetch', url: 'https://example.org' },
  { type: 'mcp', server: 's', tool: 't' },
  { type: 'file.read', path: '/etc/hosts' },
  { type: 'other' },
];

test.each(others)('auto asks before $type', (action) => {
  expect(allowedByMode('auto', { action }, { cwd: folder })).toBe(false);
});

test('ask always asks, allow-all never does', () => {
  for (const action of [...others, edit('a.txt'), edit('/etc/hosts')]) {
    const answers = PERMISSION_MODES.map((mode) =>
      allowedByMode(mode, { action }, { cwd: folder }),
    );
    expect(answers[0]).toBe(false);
    expect(answers[2]).toBe(true);
  }
});

describe('auto judges the whole input of an edit', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'repository'));
    writeFileSync(join(folder, 'repository/HEAD'), 'ref: refs/heads/main\n');
  });
  const ask = (input: unknown) =>
    !allowedByMode('auto', { action: edit('ok.txt'), input }, { cwd: folder });

  test.each([
    { file_path: 'ok.txt', content: 'x\n' },
    { path: 'ok.txt', old_string: 'a', new_string: '// see ../../../etc/passwd and .git/config\n' },
    { path: 'ok.txt', edits: [{ oldText: "import '../../../../x';", newText: 'import .git/x' }] },
    { file_path: 'ok.txt', old_string: '/api/v1', new_string: '/api/v2' },
    { path: 'ok.txt', edits: [{ oldText: '.cache', newText: '~/x' }] },
    { cwd: '.', path: 'ok.txt', replace_all: true, limit: 3, mode: 'insert', none: null },
    { changes: { 'src/a.ts': { type: 'add', content: '.git is a folder\n' } } },
    { path: 'ok.txt', description: 'Fix what /etc/hosts said.' },
    { file_path: 'ok.txt', instruction: 'Import ../../x and /etc/hosts.', new_string: 'x' },
    { path: 'ok.txt', thought: 'The route /api needs .git/config, ../x and ~/y.' },
    { command: 'str_replace', path: 'ok.txt', old_str: 'a', new_str: 'b' },
    { command: 'create', path: 'src/a.ts', file_text: '#!/bin/sh\n' },
    { path: 'ok.txt', at: '12:3', type: 'a|b', list: 'one,two', json: '{"a":["b"]}' },
    { path: 'a.ts', folder: 'src' },
    undefined,
    'ok.txt',
  ])('and lets %j pass', (input) => {
    expect(ask(input)).toBe(false);
  });

  test.each([
    { path: '.git/config' },
    { content: '/etc/passwd' },
    { newText: '.git/hooks/pre-commit' },
    { deep: [{ er: { any: 'baton.json' } }] },
    { files: { '.git/config': 'x' } },
    { patch: '*** Begin Patch\n*** Update File: .git/config\n' },
    { to: 'src/\n/../../.git/config' },
    { uri: 'file:///etc/passwd' },
    { uri: 'FILE:.git/config' },
    { path: '@/etc/passwd' },
    { path: ' /etc/passwd' },
    { path: '"/etc/passwd"' },
    { path: '%2e%2e/x' },
    { path: '..\\x' },
    { path: '.git\\config' },
    { path: '$HOME/.bashrc' },
    { path: '~/x' },
    // Lists, options and encodings that a tool takes apart:
    { path: 'ok.txt', files: 'a.txt,.git/config' },
    { path: 'ok.txt', files: 'a.txt .git/config' },
    { path: 'ok.txt', list: 'a.txt;../x' },
    { path: 'ok.txt', args: ['--output=.git/config'] },
    { path: 'ok.txt', args: ['-o', '--to:/etc/passwd'] },
    { path: '{ok.txt,.git/config}' },
    { path: 'src/{a,../../x}' },
    { path: 'ok.txt', json: '{"path":".git/config"}' },
    { path: 'ok.txt', json: '{ "deep": [{ "to": "baton.json" }] }' },
    '{"path":".git/config","content":"x"}',
    '"\\u002egit/config"',
    { path: 'ok.txt', uri: 'vscode-file:///etc/passwd' },
    // Something to run beside the file:
    { path: 'ok.txt', command: 'rm -rf src' },
    { path: 'ok.txt', command: ['reboot'] },
    { path: 'ok.txt', Cmd: 'reboot' },
    { path: 'ok.txt', command_line: 'reboot' },
    { path: 'ok.txt', script: 'process.exit()' },
    { path: 'ok.txt', bash_command: 'reboot' },
    { path: 'ok.txt', postEditCommands: ['reboot'] },
    { path: 'ok.txt', 'shell-script': 'reboot' },
    { path: 'ok.txt', options: { exec_after: 'reboot' } },
    { path: 'ok.txt', options: { exec: { program: 'sh' } } },
    // A name below a folder that another argument names:
    { path: 'config', cwd: 'repository' },
    { path: 'config', any: 'repository' },
    { directory: 'repository', name: 'hooks/pre-commit' },
    { base: 'tools/python', file: 'bin/activate' },
    '.git/config',
    ['.git/config'],
  ])('and asks for %j', (input) => {
    expect(ask(input)).toBe(true);
  });

  test('whatever the keys are called and however deep the path is', () => {
    const bad = fc.constantFrom(
      '.git/config',
      'src/../.GIT/hooks/x',
      'baton.json',
      'docs/config',
      'link-out/x',
      '../x',
      '/etc/passwd',
      '~/.bashrc',
      join(base, 'outside/x'),
    );
    const key = fc.oneof(
      fc.string({ minLength: 1 }).filter((each) => each !== '__proto__' && !TEXT_KEYS.has(each)),
      fc.constantFrom('path', 'file_path', 'destination', 'x'),
    );
    const text = fc.constantFrom('content', 'new_string', 'diff', 'description');
    const wrap = fc.array(fc.tuple(key, fc.boolean(), fc.dictionary(key, fc.constant('ok.txt'))));
    fc.assert(
      fc.property(bad, key, wrap, (path, last, layers) => {
        let input: unknown = { [last]: path };
        for (const [name, isList, others] of layers) {
          input = isList ? [others, input] : { ...others, [name]: input };
        }
        expect(ask(input)).toBe(true);
      }),
    );
    fc.assert(fc.property(bad, text, (path, name) => ask([{ [name]: path }])));
  });
});

describe('auto asks before a folder becomes a repository whose settings run programs', () => {
  const PARTS = ['HEAD', 'config', 'objects/info/x', 'refs/heads/x', 'hooks/pre-commit'];
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(folder, 'package-'));
  });

  /** Makes the edits that pass, one after another, and tells whether Git would take the folder for a repository. */
  function write(paths: readonly string[]): boolean {
    for (const path of paths) {
      if (!passes(join(place, path))) continue;
      mkdirSync(join(place, path, '..'), { recursive: true });
      writeFileSync(join(place, path), '');
    }
    const has = readdirSync(place).map((name) => name.toLowerCase());
    return ['head', 'objects', 'refs'].every((name) => has.includes(name));
  }

  test('in whatever order its parts are written', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(PARTS, { minLength: 5 }), (parts) => {
        rmSync(place, { recursive: true });
        mkdirSync(place);
        expect(write(parts)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  test.each([['HEAD'], ['head'], ['Head'], ['./HEAD'], ['objects/../HEAD']])('by %s', (name) => {
    expect(passes(join(place, name))).toBe(false);
    expect(passes(name, place)).toBe(false);
  });

  test('by a link to one of its parts', () => {
    symlinkSync('HEAD', join(place, 'readme'));
    expect(passes(join(place, 'readme'))).toBe(false);
  });

  test.each(PARTS)('by a change of %s in one that is there', (path) => {
    for (const name of ['objects', 'refs']) mkdirSync(join(place, name));
    expect(passes(join(place, path))).toBe(false);
    expect(passes(join(place, path.toUpperCase()))).toBe(false);
    writeFileSync(join(place, 'HEAD'), '');
    rmSync(join(place, 'refs'), { recursive: true });
    expect(passes(join(place, path))).toBe(false);
    expect(passes(path, place)).toBe(false);
    expect(passes(join(place, 'readme.md'))).toBe(true);
  });

  test('in one edit of several files', () => {
    const changes = PARTS.map((path) => ({ path: join(place, path), kind: 'add' as const }));
    const action = { type: 'file.edit', changes } as const;
    expect(allowedByMode('auto', { action }, { cwd: folder })).toBe(false);
  });
});
