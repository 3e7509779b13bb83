import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCommand } from '../arguments/command.ts';
import { agentCommand, readFlags, withoutAliases } from './flags.ts';

const COMMAND = agentCommand({ name: 'reviewer' });
const read = (...args: string[]) => readFlags(parseCommand(COMMAND, withoutAliases(args)));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flags-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the flags of Claude Code', () => {
  test('are read', () => {
    const args = ['--model', 'opus', '--max-turns', '5', '--allowedTools', 'Read,Bash(git log:*)'];
    args.push('--disallowedTools', 'Write Edit', '--settings', 'settings.json', '-r', 'id', '-p');
    args.push('--append-system-prompt', 'Be brief.');
    expect(read(...args)).toMatchObject({
      model: 'opus',
      maxTurns: 5,
      allowedTools: ['Read', 'Bash(git log:*)'],
      disallowedTools: ['Write', 'Edit'],
      settings: join(process.cwd(), 'settings.json'),
      appendSystemPrompt: 'Be brief.',
      resume: 'id',
      print: true,
    });
  });

  test('without a unified option are read, too', () => {
    const args = ['-c', '--add-dir', 'a', '--add-dir', '/b', '--fallback-model', 'small'];
    args.push('--fork-session', '--session-id', 'id', '--raw-arg=--debug', '--raw-arg=x y');
    expect(read(...args)).toMatchObject({
      claudeArgs: [
        ...['--continue', '--add-dir', join(process.cwd(), 'a'), '--add-dir', '/b'],
        ...['--fallback-model', 'small'],
      ],
      fork: true,
      sessionId: 'id',
      rawArgs: ['--debug', 'x y'],
    });
    expect(read()).toMatchObject({ claudeArgs: [], rawArgs: [], fork: undefined });
  });

  test('choose the output format', () => {
    expect(read('--output-format', 'text')).toMatchObject({ print: false, json: false });
    expect(read('--output-format', 'stream-json')).toMatchObject({ print: true, json: true });
    expect(() => read('--output-format', 'json')).toThrow('Unsupported output format "json".');
  });

  test('have the other spelling of Claude Code, before --', () => {
    expect(read('--allowed-tools', 'Read', '--disallowed-tools=Write')).toMatchObject({
      allowedTools: ['Read'],
      disallowedTools: ['Write'],
    });
    expect(withoutAliases(['--', '--allowed-tools'])).toEqual(['--', '--allowed-tools']);
  });

  test('take JSON in the place of a file', () => {
    const server = { command: 'server' };
    const path = join(folder, 'mcp.json');
    writeFileSync(path, JSON.stringify({ mcpServers: { a: server, b: server } }));
    const inline = JSON.stringify({ mcpServers: { b: { url: 'http://b' } } });
    const flags = read('--mcp-config', path, '--mcp-config', inline, '--settings', '{"a":1}');
    expect(flags.mcpConfig).toEqual({ mcpServers: { a: server, b: { url: 'http://b' } } });
    expect(flags.settings).toEqual({ a: 1 });
  });
});

test.each([
  ['ask', [], 'ask'],
  ['acceptEdits', [], 'auto'],
  ['default', [], 'ask'],
  ['bypassPermissions', ['--dangerously-skip-permissions'], 'allow-all'],
])('the permission mode %s with %j is %s', (mode, more, expected) => {
  expect(read('--permission-mode', mode, ...more).permissionMode).toBe(expected);
});

test('--dangerously-skip-permissions is the mode allow-all', () => {
  expect(read('--dangerously-skip-permissions').permissionMode).toBe('allow-all');
  expect(read().permissionMode).toBeUndefined();
});

describe('refuses', () => {
  test.each([
    [['--max-turns', '0'], '--max-turns must be a whole number above 0'],
    [['--max-turns', 'many'], '--max-turns must be'],
    [['--permission-mode', 'plan'], 'Unknown permission mode "plan"'],
    [['--permission-mode', 'ask', '--dangerously-skip-permissions'], 'contradicts'],
    [['--mcp-config', '{'], '--mcp-config is neither a file nor JSON'],
    [['--mcp-config', '{}'], 'no "mcpServers"'],
    [['--mcp-config', 'no-such-file.json'], 'Cannot read the MCP configuration'],
    [['--settings', '{"a"'], '--settings is neither a file nor JSON'],
    [['--modle', 'x'], "Unknown option '--modle'"],
    [['--model'], '--model needs a value'],
  ])('%j', (args, message) => {
    expect(() => read(...args)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    );
  });

  test('with a reference to its own help', () => {
    expect(() => read('--modle', 'x')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('See "reviewer --help"') }),
    );
  });
});
