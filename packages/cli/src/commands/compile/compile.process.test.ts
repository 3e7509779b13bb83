import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventSchema } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliWorld, Terminal } from '../../testing/baton.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples/agents');
/** An agent that names other files, and whose permission mode is only known when it runs. */
const TESTED = `
import { defineAgent } from '@baton/runtime/agent';
import { server } from './server.ts';

type Mode = 'ask' | 'auto';
export default defineAgent({
  name: 'tested',
  description: 'Does what the test says.',
  systemPromptFile: './system.md',
  prompt: 'Go.',
  permissionMode: (process.env.TEST_MODE || undefined) as Mode | undefined,
  mcpConfig: process.env.TEST_SERVERS ? { mcpServers: { server } } : undefined,
  timeouts: { totalMs: Number(process.env.TEST_TIMEOUT ?? 0) },
  workspace: process.env.TEST_WORKSPACE ? { kind: 'worktree', name: 'own' } : undefined,
  env: { AGENT_TOKEN: 'a secret' },
});
`;
const SERVER = `export const server = { command: 'server', env: { SERVER_TOKEN: 'a secret' } };\n`;
const ON_DEMO = { FORGE_BACKEND: 'demo' };

/** Folder of the compiled agents. */
let programs: string;

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'compiled-'));
  const world = new CliWorld();
  writeFileSync(join(world.cwd, 'tested.ts'), TESTED);
  writeFileSync(join(world.cwd, 'server.ts'), SERVER);
  writeFileSync(join(world.cwd, 'system.md'), script([{ say: 'From the file — 世界.' }]));
  const agents = readdirSync(EXAMPLES).map((name) => join(EXAMPLES, name));
  for (const file of ['tested.ts', ...agents]) {
    const output = join(programs, file.replace(/^.*\/|\.ts$/g, ''));
    const { code, stderr } = await world.call({ args: ['compile', file, '-o', output] });
    expect([file, code, stderr]).toEqual([file, 0, '']);
  }
}, 120_000);
afterAll(() => rmSync(programs, { recursive: true, force: true }));

function script(steps: readonly object[]): string {
  return `demo:script ${JSON.stringify(steps)}`;
}

type Call = {
  program?: string;
  args?: readonly string[];
  input?: string;
  env?: Record<string, string>;
};

/** Runs a compiled agent to its end. */
async function run(world: CliWorld, { program = 'tested', args = [], input = '', env }: Call) {
  const child = world.spawn(process.execPath, [join(programs, program), ...args], env);
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return world.finish(child);
}

/** Opens a compiled agent in a terminal. */
function open(world: CliWorld, args: string, env: Record<string, string> = {}): Terminal {
  const command = `exec '${process.execPath}' '${join(programs, 'tested')}' ${args}`;
  return new Terminal(world, world.spawn('script', ['-qec', command, '/dev/null'], env));
}

/** A program in the place of an agent. */
function standIn(world: CliWorld, name: string, body: string): string {
  const path = join(world.home, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

describe.concurrent('a compiled agent', () => {
  test.each(['changelog-writer', 'code-review', 'test-fixer'])(
    'is the example %s, on the demo agent',
    async (program) => {
      const args = ['--backend', 'demo', script([{ say: `I am ${program}.` }])];
      const { code, stdout, stderr } = await run(new CliWorld(), { program, args });
      expect([code, stdout]).toEqual([0, `I am ${program}.`]);
      expect(stderr).toBe(
        'warning: tools.allowed in the agent file applies only to claude-cli; Demo agent runs without it.\n',
      );
    },
  );

  test('is one executable file', () => {
    expect(statSync(join(programs, 'tested')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(programs, 'tested'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(readdirSync(programs).sort()).toEqual([
      'changelog-writer',
      'code-review',
      'test-fixer',
      'tested',
    ]);
  });

  test('shows its help', async () => {
    const { code, stdout, stderr } = await run(new CliWorld(), { args: ['--help'] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Does what the test says\.\n\nUsage: tested \[options\]/);
    const flags = ['--backend', '--print', '--json', '--verbose', '--model', '--max-turns'];
    flags.push('--allowedTools', '--disallowedTools', '--mcp-config', '--settings', '--resume');
    flags.push('--append-system-prompt', '--dangerously-skip-permissions', 'FORGE_BACKEND');
    for (const flag of flags) expect(stdout).toContain(flag);
  });

  test.each(['module', 'commonjs'])('runs alone in a folder of type %s', async (type) => {
    const world = new CliWorld();
    const folder = join(world.home, 'elsewhere');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    cpSync(join(programs, 'tested'), join(folder, 'moved'));
    const env = { ...ON_DEMO, PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` };
    const child = world.spawn(join(folder, 'moved'), [], env);
    child.stdin.end();
    const { code, stdout } = await world.finish(child);
    expect([code, stdout]).toEqual([0, 'From the file — 世界.']);
  });

  test('takes the prompt from its arguments, else from stdin, else its own', async () => {
    const [said, piped] = ['argument', 'stdin'].map((say) => script([{ say }]));
    const outputs = [
      await run(new CliWorld(), { args: [said ?? ''], input: piped ?? '', env: ON_DEMO }),
      await run(new CliWorld(), { input: piped ?? '', env: ON_DEMO }),
      await run(new CliWorld(), { args: ['-'], input: piped ?? '', env: ON_DEMO }),
      await run(new CliWorld(), { env: ON_DEMO }),
    ];
    expect(outputs.map(({ stdout }) => stdout)).toEqual([
      'argument',
      'stdin',
      'stdin',
      'From the file — 世界.',
    ]);
  });

  test('prints the answer byte for byte, and nothing else', async () => {
    const answer = '\n  Grüße, 世界 🎼\r\n\n';
    const args = ['--print', script([{ say: 'First.' }, { read: 'x' }, { say: answer }])];
    const { code, stdout, stderr } = await run(new CliWorld(), { args, env: ON_DEMO });
    expect([code, stdout, stderr]).toEqual([0, answer, '']);
  });

  test('prints one event per line with --json', async () => {
    const args = ['--json', script([{ say: 'Hello.' }])];
    const { code, stdout } = await run(new CliWorld(), { args, env: ON_DEMO });
    const events = stdout.trimEnd().split('\n');
    const last = eventSchema.parse(JSON.parse(events.at(-1) ?? ''));
    expect([code, last]).toMatchObject([0, { type: 'run.completed', output: 'Hello.' }]);
    for (const event of events) eventSchema.parse(JSON.parse(event));
  });

  test('logs the backend, key options and the command with --verbose', async () => {
    const args = ['--verbose', '--max-turns', '7', script([{ say: 'Hello.' }])];
    const { stdout, stderr } = await run(new CliWorld(), { args, env: ON_DEMO });
    expect(stdout).toBe('Hello.');
    expect(stderr).toContain('backend: demo (FORGE_BACKEND)\n');
    expect(stderr).toMatch(/options: mode=print permissionMode=ask maxTurns=7 /);
    expect(stderr).toContain('env=AGENT_TOKEN');
    expect(stderr).toContain(`${join(programs, 'tested')} --baton-child demo-agent\n`);
    expect(stderr).not.toContain('a secret');
  });

  test('runs codex exec in print mode, without what Codex does not have', async () => {
    const world = new CliWorld();
    const lines = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Reviewed.' } },
      { type: 'turn.completed', usage: {} },
    ].map((line) => `echo '${JSON.stringify(line)}'`);
    const env = {
      BATON_CODEX_BIN: standIn(world, 'codex', ['cat >/dev/null', ...lines].join('\n')),
    };
    const args = ['--backend', 'codex', '--verbose', 'Go.'];
    const { code, stdout, stderr } = await run(world, { program: 'code-review', args, env });
    expect([code, stdout]).toEqual([0, 'Reviewed.']);
    expect(stderr).toContain(
      'warning: tools.allowed in the agent file applies only to claude-cli; Codex runs',
    );
    expect(stderr).toMatch(/command \(print, .*codex exec --json .*--sandbox read-only/);
  });

  test('refuses a flag that the backend does not support, before anything starts', async () => {
    const args = ['--backend', 'codex', '--disallowedTools', 'Write', 'Go.'];
    const { code, stdout, stderr } = await run(new CliWorld(), { args });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Codex does not support --disallowedTools');
  });
});

describe.concurrent('the place of a compiled agent', () => {
  const WHERE = script([{ shell: 'pwd > where.txt' }, { say: 'Done.' }]);
  const ALL = ['--dangerously-skip-permissions', WHERE];

  function repository() {
    const world = new CliWorld();
    const { cwd, home } = world;
    rmSync(join(cwd, '.git'), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd, env: { ...world.env } });
    git('init', '--quiet', '-b', 'main');
    const user = ['-c', 'user.name=U', '-c', 'user.email=u@localhost'];
    git(...user, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    return { world, cwd, worktrees: join(home, 'baton-workspaces/project') };
  }

  test('is a worktree if a flag or the agent file says so', async () => {
    const { world, cwd, worktrees } = repository();
    const flag = await run(world, { args: ['--worktree=given', ...ALL], env: ON_DEMO });
    expect(flag).toMatchObject({ code: 0, stdout: 'Done.' });
    expect(flag.stderr).toContain(`Working in ${worktrees}/given on branch baton/given`);
    const env = { ...ON_DEMO, TEST_WORKSPACE: '1' };
    expect((await run(world, { args: ALL, env })).code).toBe(0);
    expect(existsSync(join(worktrees, 'own/where.txt'))).toBe(true);
    expect(existsSync(join(cwd, 'where.txt'))).toBe(false);
  });

  test('is the folder itself with --in-place, and in a worktree of Baton', async () => {
    const { world, cwd, worktrees } = repository();
    const env = { ...ON_DEMO, TEST_WORKSPACE: '1' };
    expect((await run(world, { args: ['--in-place', ...ALL], env })).code).toBe(0);
    const inside = { ...env, BATON_WORKSPACE: cwd };
    expect((await run(world, { args: ALL, env: inside })).code).toBe(0);
    expect(existsSync(worktrees)).toBe(false);
    // Its files are kept before and after a turn there too.
    const { WorkspaceHome, listCheckpoints } = await import('@baton/workspaces');
    const kept = new WorkspaceHome({
      stateFolder: join(world.home, '.baton/workspaces'),
      folder: worktrees,
    });
    expect(await listCheckpoints(await kept.open(cwd))).not.toEqual([]);
  });
});

describe.concurrent('the exit code of a compiled agent', () => {
  const writing = script([{ write: { path: 'new.txt', content: 'x' } }, { say: 'Done.' }]);

  test('is 1 after a failure', async () => {
    const { code, stdout, stderr } = await run(new CliWorld(), {
      args: [script([{ fail: 'Out of luck.' }])],
      env: ON_DEMO,
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error (agent_failed): Out of luck.');
  });

  test.each([
    ['an unknown flag', ['--modle', 'x'], {}, 'Did you mean --model?'],
    ['an unknown backend', ['--backend', 'clade', 'Go.'], {}, 'Did you mean claude'],
    [
      'an unsupported option',
      ['--model', 'x', 'Go.'],
      ON_DEMO,
      'Demo agent does not support --model',
    ],
    ['a mode that only the command line may set', ['Go.'], { TEST_MODE: 'allow-all' }, 'allow-all'],
  ])('is 2 for %s', async (_name, args, env, words) => {
    const { code, stdout, stderr } = await run(new CliWorld(), { args, env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  test('is 5 when a request was denied because no one was there', async () => {
    const world = new CliWorld();
    const { code, stderr } = await run(world, { args: [writing], env: ON_DEMO });
    expect(code).toBe(5);
    expect(stderr).toContain('error (permission_denied): 1 request was denied');
    expect(stderr).toContain('--dangerously-skip-permissions');
    expect(existsSync(join(world.cwd, 'new.txt'))).toBe(false);
  });

  test('is 0 with --dangerously-skip-permissions, which allows everything', async () => {
    const world = new CliWorld();
    const args = ['--dangerously-skip-permissions', writing];
    expect(await run(world, { args, env: ON_DEMO })).toMatchObject({ code: 0, stdout: 'Done.' });
    expect(existsSync(join(world.cwd, 'new.txt'))).toBe(true);
  });

  test('is 124 after a timeout', async () => {
    const env = { ...ON_DEMO, TEST_TIMEOUT: '100' };
    const { code, stderr } = await run(new CliWorld(), { args: [script([{ stall: true }])], env });
    expect(code).toBe(124);
    expect(stderr).toContain('error (timed_out)');
  });

  test('is 130 after Ctrl-C, and nothing is left', async () => {
    const world = new CliWorld();
    const args = [
      '--json',
      '--dangerously-skip-permissions',
      script([{ shell: 'echo on; sleep 600' }]),
    ];
    const child = world.spawn(process.execPath, [join(programs, 'tested'), ...args], ON_DEMO);
    child.stdin.end();
    let printed = '';
    const started = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('"tool.started"')) resolve();
      });
    });
    await started;
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    expect(printed).toContain('"outcome":"cancelled"');
    world.expectNothingLeft();
  });
});

describe.concurrent('a compiled agent in a terminal', () => {
  test("opens the agent's own interface, with the system prompt and no secret arguments", async () => {
    const world = new CliWorld();
    const claude = standIn(world, 'claude', 'echo "called with: $*."; echo "[$AGENT_TOKEN]"');
    const env = { BATON_CLAUDE_BIN: claude, TEST_SERVERS: '1' };
    const { code, output } = await open(world, '--verbose --model opus', env).end();
    expect(code).toBe(0);
    expect(output).toContain('backend: claude-cli (default)');
    expect(output).toContain('options: mode=interactive');
    expect(output).toContain(`command (interactive, in ${world.cwd})`);
    expect(output.replaceAll(/\s+/g, ' ')).toMatch(
      /called with: --mcp-config \S+ --append-system-prompt-file \S+ --model opus --permission-mode default -- Go\./,
    );
    expect(output.split('a secret')).toHaveLength(2);
    expect(output).toContain('[a secret]');
  });

  test('says what to do when the agent has no interface', async () => {
    const { code, output } = await open(new CliWorld(), '', ON_DEMO).end();
    expect(code).toBe(2);
    expect(output).toContain('Demo agent has no interactive mode.');
    expect(output).toContain('Add --print');
  });

  test('prints the answer with --print', async () => {
    const { code, output } = await open(new CliWorld(), '--print', ON_DEMO).end();
    expect([code, output]).toEqual([0, 'From the file — 世界.']);
  });
});

describe.concurrent('baton compile', () => {
  async function compile(files: Record<string, string>, ...args: string[]) {
    const world = new CliWorld();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(world.cwd, name), text);
    return { world, ...(await world.call({ args: ['compile', ...args] })) };
  }
  const agent = (fields: string) => `export default { name: 'mine', ${fields} };\n`;

  test('names the program after the agent, and prints its path and size', async () => {
    const { world, code, stdout } = await compile({ 'a.js': agent('') }, 'a.js');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mine \(\d\.\d MB\)\n$/);
    expect(readdirSync(world.cwd).sort()).toEqual(['.git', 'a.js', 'mine']);
  });

  test('prints JSON with --json, even if the agent file prints something', async () => {
    const { world, stdout, stderr } = await compile(
      { 'a.js': `console.log('loading');\n${agent('')}` },
      ...['a.js', '-o', 'out', '--json'],
    );
    const path = join(world.cwd, 'out');
    expect(JSON.parse(stdout)).toEqual({ name: 'mine', path, bytes: statSync(path).size });
    expect(stderr).toBe('loading\n');
  });

  test.each<[string, Record<string, string>, string[], string, string]>([
    ['a call without a file', {}, [], 'Expected one FILE.', 'baton compile agent.ts'],
    ['a file that does not exist', {}, ['a.ts'], 'does not exist: a.ts', 'defineAgent'],
    [
      'a file without a default export',
      { 'a.ts': 'export const a = 1;' },
      ['a.ts'],
      'no default export',
      'defineAgent',
    ],
    [
      'a syntax error',
      { 'a.ts': 'export default {\n  name: "x"\n  prompt: 1 };' },
      ['a.ts'],
      'a.ts:3:3: ',
      'Fix the agent file',
    ],
    [
      'an import that is not there',
      { 'a.ts': "import './no.ts';\nimport 'no-package';" },
      ['a.ts'],
      "a.ts:1:8: Could not resolve './no.ts'",
      'Check the path',
    ],
    [
      'a package that is not installed',
      { 'a.ts': "import x from 'no-package';\nx();" },
      ['a.ts'],
      "a.ts:1:15: Could not resolve 'no-package'",
      'install the package',
    ],
    [
      'allow-all',
      { 'a.ts': agent("permissionMode: 'allow-all'") },
      ['a.ts'],
      '"allow-all"',
      '--dangerously-skip-permissions when you run',
    ],
    [
      'a file that throws',
      { 'a.ts': "throw new Error('Out of luck.');" },
      ['a.ts'],
      'Out of luck.',
      '',
    ],
    [
      'a file that exits',
      { 'a.ts': 'process.exit(0);' },
      ['a.ts'],
      'ends the process',
      'only export',
    ],
    [
      'a missing prompt file',
      { 'a.ts': agent("systemPromptFile: 'no.md'") },
      ['a.ts'],
      'Cannot read systemPromptFile "no.md"',
      'relative to the agent file',
    ],
    [
      'a prompt file outside of its folder',
      { 'a.ts': agent("systemPromptFile: '/etc/passwd'") },
      ['a.ts'],
      'Cannot read systemPromptFile "/etc/passwd": it is not in the folder',
      'relative to the agent file',
    ],
    [
      'settings that are not JSON',
      { 'a.ts': agent("settings: 'a.ts'") },
      ['a.ts'],
      'Cannot read settings "a.ts"',
      '',
    ],
    [
      'an output that is a folder',
      { 'a.ts': agent('') },
      ['a.ts', '-o', '.git'],
      'The output is a folder',
      '--output',
    ],
    [
      'an output that is the agent file',
      { 'a.ts': agent('') },
      ['a.ts', '-o', 'a.ts'],
      'overwrite the agent file',
      '--output',
    ],
    [
      'an output that cannot be written',
      { 'a.ts': agent('') },
      ['a.ts', '-o', 'no/out'],
      'Cannot write',
      '--output',
    ],
  ])('refuses %s', async (_name, files, args, message, hint) => {
    const { world, code, stdout, stderr } = await compile(files, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(readdirSync(world.cwd).sort()).toEqual(['.git', ...Object.keys(files)]);
  });
});
