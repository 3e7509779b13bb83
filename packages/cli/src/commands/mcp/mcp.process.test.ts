import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';

const ECHO = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const mcp = (world: CliWorld, ...args: string[]) => world.call({ args: ['mcp', ...args] });

describe.concurrent('mcp', () => {
  test('adds, lists, copies, checks and removes a server, and never shows its secrets', async () => {
    const world = new CliWorld();
    const outputs = [
      await world.call({
        args: ['mcp', 'add', 'echo', '-b', 'codex', '-e', 'TOKEN', '--', process.execPath, ECHO],
        env: { TOKEN: 'canary-1' },
      }),
      await world.call({
        args: ['mcp', 'add', 'web', '-b', 'codex', '--config', '-', '--json'],
        input: '{"url":"https://x.example","headers":{"Authorization":"canary-2"}}',
      }),
      await mcp(world, 'copy', '-b', 'codex', '--to', 'opencode'),
      await mcp(world, 'list'),
      await mcp(world, 'list', '--json'),
      await mcp(world, 'list', '-b', 'opencode', '--json'),
      await mcp(world, 'check', 'echo'),
      await mcp(world, 'check', 'echo', '-b', 'opencode', '--json'),
      await mcp(world, 'remove', 'echo', '-b', 'codex'),
    ];
    for (const { code, stdout, stderr } of outputs) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toContain('canary');
    }
    const config = readFileSync(join(world.home, '.codex/config.toml'), 'utf8');
    expect(config).toContain('canary-2');
    expect(config).not.toContain('canary-1');
    const copied = JSON.parse(
      readFileSync(join(world.home, '.config/opencode/opencode.json'), 'utf8'),
    );
    expect(copied.mcp.echo).toEqual({
      type: 'local',
      command: [process.execPath, ECHO],
      environment: { TOKEN: 'canary-1' },
    });
    expect(outputs[6]?.stdout).toMatch(/^✓ echo: echo 1\.0\.0 protocol \S+, 1 tool\n {4}say/);
    expect(JSON.parse(outputs[7]?.stdout ?? '')).toMatchObject({ tools: [{ name: 'say' }] });
  });

  test.each([
    ['a header as curl takes it', ['--url', 'http://x', '--header', 'A: Bearer canary=']],
    ['a header of two lines', ['--url', 'http://x', '--header', 'A=one\ncanary']],
    ['a variable for an address', ['--url', 'http://x', '--env', 'A=canary']],
    ['a name that no variable has', ['--env', 'A B=canary', '--', 'server']],
    ['a header for a command', ['--header', 'A=canary', '--', 'server']],
  ])('add refuses %s, and does not show it', async (_what, args) => {
    const world = new CliWorld();
    const { code, stdout, stderr } = await mcp(world, 'add', 'x', '-b', 'codex', ...args);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('canary');
    expect(stderr).toContain('Usage: baton mcp add');
  });

  test('a malformed file is reported and left alone, and does not hide the others', async () => {
    const world = new CliWorld();
    const folder = join(world.home, '.codex');
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.toml'), 'model = "x"\nmodel = "y"\n');
    const added = await mcp(world, 'add', 'a', '-b', 'codex', '--', 'a');
    expect([added.code, added.stdout]).toEqual([2, '']);
    expect(added.stderr).toContain(`${join(folder, 'config.toml')}:2:1: `);
    const listed = await mcp(world, 'list');
    expect(listed.code).toBe(1);
    expect(listed.stdout).toContain('claude-cli');
    expect(readdirSync(folder)).toEqual(['config.toml']);
  });

  test('Ctrl-C ends a check, and the server with it', async () => {
    const world = new CliWorld();
    const script = 'echo ready >&2; exec sleep 1000';
    // The mark is how the world finds its processes.
    await mcp(
      world,
      'add',
      'slow',
      '-b',
      'droid',
      '-e',
      'BATON_TEST_MARK',
      '--',
      'sh',
      '-c',
      script,
    );
    const terminal = world.terminal({ args: ['mcp', 'check', 'slow'] });
    await expect.poll(() => world.running().some((each) => each.includes('sleep 1000'))).toBe(true);
    terminal.type('\u0003');
    const { code, output } = await terminal.end();
    expect([code, output.includes('The check was interrupted.')]).toEqual([130, true]);
  });

  test.each<[string, string[], number, string]>([
    ['an unknown action', ['install'], 2, 'Unknown action "install"'],
    ['no agent', ['add', 'x', '--', 'y'], 2, 'Missing --backend'],
    ['no name', ['remove', '-b', 'codex'], 2, 'Missing NAME'],
    ['two kinds at once', ['add', 'x', '-b', 'codex', '--url', 'https://x', 'y'], 2, 'either'],
    ['no kind', ['add', 'x', '-b', 'codex'], 2, 'either'],
    ['another protocol', ['add', 'x', '-b', 'codex', '--url', 'ftp://x'], 2, 'HTTP address'],
    [
      'a variable that is not set',
      ['add', 'x', '-b', 'codex', '-e', 'NO', 'y'],
      2,
      'NO is not set',
    ],
    ['SSE for Codex', ['add', 'x', '-b', 'codex', '--url', 'https://x', '--sse'], 2, 'SSE'],
    ['an agent without a file', ['list', '-b', 'demo'], 2, 'has no file for MCP servers'],
    ['an unknown server', ['remove', 'x', '-b', 'codex'], 4, 'has no MCP server named "x"'],
    ['an unknown server to check', ['check', 'x'], 4, 'No agent has'],
    ['a bad timeout', ['check', 'x', '--timeout', 'soon'], 2, '--timeout expects'],
  ])('refuses %s', async (_what, args, code, words) => {
    const world = new CliWorld();
    const refused = await mcp(world, ...args);
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toContain(words);
    expect(readdirSync(world.home)).not.toContain('.codex');
  });
});
