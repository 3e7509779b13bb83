import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LaunchInput, ResolvedOptions } from '@baton/engine/definition/driver';
import { capabilitiesSchema, type RunOptions } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codexBackend } from '../../testing/built-in-backends.ts';
import { nothingFirst, resolvedOptions } from '../../testing/resolved-options.ts';
import { terminalArgs } from './args.ts';
import { live, print, threadRequest, turnParams } from './drivers.ts';
import { codexEntry } from './index.ts';
import { codexServers, serverSettings, threadServers } from './mcp-servers.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'codex-backend-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resolved = (more: Partial<RunOptions> = {}): ResolvedOptions =>
  resolvedOptions(folder, { ...more, env: { CODEX_HOME: folder } });
const tempFile = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const input = (options: ResolvedOptions, more: Partial<LaunchInput> = {}): LaunchInput => ({
  options,
  resume: undefined,
  fork: false,
  prompt: { text: 'Go.', images: [] },
  runFirst: nothingFirst,
  tempFile,
  ...more,
});

test('the capabilities have the shape of the protocol', () => {
  expect(capabilitiesSchema.safeParse(codexEntry.capabilities).error).toBeUndefined();
});

describe('options that Codex cannot do are refused before anything starts', () => {
  const check = (more: Partial<RunOptions>) => () => {
    void codexBackend({ binary: '/bin/true' }).run({ prompt: 'Hi', cwd: folder, ...more });
  };

  test.each<[string, Partial<RunOptions>, string]>([
    ['a budget without prices', { budgetUsd: 1, model: 'mine' }, 'capability_missing'],
    ['a budget through print', { budgetUsd: 1, transport: 'print' }, 'capability_missing'],
    ['prices that are none', { providerOptions: { prices: 'low' } }, 'usage'],
    ['an unknown provider option', { providerOptions: { effort: 'high' } }, 'usage'],
    ['a settings file', { settings: import.meta.filename }, 'capability_missing'],
    [
      'image data through print',
      { transport: 'print', images: [{ data: '', mimeType: 'image/png' }] },
      'capability_missing',
    ],
    ['an MCP file that is none', { mcpConfig: import.meta.filename }, 'config_invalid'],
    [
      'an MCP server that speaks SSE',
      { mcpConfig: { mcpServers: { a: { url: 'http://x', type: 'sse' } } } },
      'capability_missing',
    ],
  ])('%s', (_, options, code) => {
    expect(check(options)).toThrow(expect.objectContaining({ code }));
  });

  test('all else passes', () => {
    const prices = { inputPerMillion: 1, outputPerMillion: 2 };
    expect(check({ budgetUsd: 1, providerOptions: { prices } })).not.toThrow();
    expect(check({ budgetUsd: 1 })).not.toThrow();
  });
});

describe('the thread of the live transport', () => {
  test.each([
    ['ask', 'untrusted'],
    ['auto', 'untrusted'],
    ['allow-all', 'never'],
  ] as const)('in mode %s has the approval policy %s', (permissionMode, approvalPolicy) => {
    const options = resolved({ permissionMode });
    expect(threadRequest(input(options)).params).toMatchObject({
      approvalPolicy,
      approvalsReviewer: 'user',
      sandbox: 'read-only',
    });
    expect(turnParams(options)).toMatchObject({ sandboxPolicy: { type: 'dangerFullAccess' } });
  });

  test('is started, resumed or forked', () => {
    const options = resolved({ systemPrompt: 'Be kind.', model: 'gpt' });
    const start = threadRequest(input(options));
    expect(start).toMatchObject({
      method: 'thread/start',
      params: { cwd: folder, model: 'gpt', developerInstructions: 'Be kind.' },
    });
    const resume = threadRequest(input(options, { resume: 'id' }));
    expect(resume).toMatchObject({ method: 'thread/resume', params: { threadId: 'id' } });
    const fork = threadRequest(input(options, { resume: 'id', fork: true }));
    expect(fork).toMatchObject({ method: 'thread/fork', params: { threadId: 'id' } });
  });

  test('has its settings on the command line, the ones of the user last', async () => {
    const options = resolved({
      settings: { features: { goals: true } },
      rawArgs: ['--strict-config'],
    });
    const { args, stdin } = await live.launch(input(options));
    expect(stdin).toBe('open');
    expect(args).toEqual([
      'app-server',
      ...['-c', 'features.goals=false'],
      ...['-c', 'features.default_mode_request_user_input=true'],
      ...['-c', 'features.unified_exec_tty=false'],
      ...['-c', 'features.goals=true', '--strict-config'],
    ]);
    const free = await live.launch(input(resolved({ permissionMode: 'allow-all' })));
    expect(free.args.join(' ')).not.toContain('tty');
  });
});

describe('the command line of the print transport', () => {
  test.each([
    ['ask', ['--skip-git-repo-check', '--sandbox', 'read-only']],
    ['auto', ['--skip-git-repo-check', '--sandbox', 'workspace-write']],
    ['allow-all', ['--dangerously-bypass-approvals-and-sandbox']],
  ] as const)('in mode %s has %j', async (permissionMode, flags) => {
    const { args, stdin } = await print.launch(input(resolved({ permissionMode })));
    expect(args.slice(0, 2 + flags.length)).toEqual(['exec', '--json', ...flags]);
    expect(args.at(-1)).toBe('Go.');
    expect(stdin).toBe('none');
    expect(args.join(' ').includes('untrusted')).toBe(permissionMode !== 'ask');
  });

  test('passes prompts that cannot be arguments on stdin', async () => {
    const prompt = { text: '- a list', images: [] };
    const { args, stdin } = await print.launch(input(resolved(), { prompt }));
    expect(args.at(-1)).toBe('-');
    expect(stdin).toEqual({ text: '- a list' });
  });

  test('puts a large system prompt in front of the prompt, and leaves a resumed one to Baton', async () => {
    const systemPrompt = 'x'.repeat(200_000);
    const fresh = await print.launch(input(resolved({ systemPrompt })));
    expect(fresh.stdin).toEqual({ text: `${systemPrompt}\n\nGo.` });
    const resume = randomUUID();
    const resumed = await print.launch(input(resolved({ systemPrompt }), { resume }));
    expect(resumed.args.slice(-3)).toEqual(['resume', resume, 'Go.']);
  });

  test('refuses to resume what cannot be a thread, of which Codex would make a new one', async () => {
    const launch = async () => print.launch(input(resolved(), { resume: 'no-such-thread' }));
    await expect(launch()).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('MCP servers', () => {
  const servers = {
    local: { command: 'server', args: ['a b'], env: { SECRET: "it's" } },
    'odd.name': { url: 'http://x', type: 'http', headers: { Authorization: 'Bearer s' } },
  };

  test('are read from a file or as they are', () => {
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
    expect(codexServers({ mcpConfig: 'mcp.json', cwd: folder })).toEqual(servers);
    expect(codexServers({ cwd: folder })).toEqual({});
  });

  test.each(['[]', '{}', 'no JSON', '{"mcpServers":{"a":{}}}', '{"mcpServers":{"a":5}}'])(
    'cannot be read from %s',
    (content) => {
      writeFileSync(join(folder, 'bad.json'), content);
      expect(() => codexServers({ mcpConfig: 'bad.json', cwd: folder })).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    },
  );

  test('are passed to a thread with all their fields', () => {
    expect(threadServers(servers, false)).toEqual({
      local: servers.local,
      'odd.name': { url: 'http://x', http_headers: { Authorization: 'Bearer s' } },
    });
    expect(threadServers(servers, true)).toMatchObject({
      local: { default_tools_approval_mode: 'prompt' },
    });
  });

  test('show no secret on a command line', () => {
    const { config, env } = serverSettings(servers, tempFile);
    const file = join(folder, 'mcp-0.env');
    expect(config).toEqual([
      `mcp_servers.local={"command" = "/bin/sh", "args" = ["-c", "set -a; . \\"$0\\"; set +a; exec \\"$@\\"", ${JSON.stringify(file)}, "server", "a b"]}`,
      'mcp_servers={"odd.name" = {"url" = "http://x", "env_http_headers" = {"Authorization" = "BATON_MCP_HEADER_1_0"}}}',
      'shell_environment_policy.set.BATON_MCP_HEADER_1_0=""',
    ]);
    expect(env).toEqual({ BATON_MCP_HEADER_1_0: 'Bearer s' });
    expect(readFileSync(file, 'utf8')).toBe("SECRET='it'\\''s'\n");
    const script = 'set -a; . "$0"; set +a; exec "$@"';
    const shown = execFileSync('/bin/sh', ['-c', script, file, '/bin/sh', '-c', 'echo "$SECRET"']);
    expect(shown.toString()).toBe("it's\n");
  });
});

describe("the arguments of Codex's own interface", () => {
  const args = (more: Partial<RunOptions> & { prompt?: string }) => {
    const { prompt, ...options } = more;
    return terminalArgs({ ...resolved(options), prompt }, tempFile);
  };

  test.each([
    ['ask', ['--sandbox', 'read-only', '--ask-for-approval', 'on-request']],
    ['auto', ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request']],
    ['allow-all', ['--dangerously-bypass-approvals-and-sandbox']],
  ] as const)('in mode %s begin with %j', (permissionMode, flags) => {
    expect(args({ permissionMode })).toEqual([...flags, '--cd', folder]);
  });

  test('keep a prompt from being a flag or a command', () => {
    expect(args({ prompt: 'login' }).slice(-2)).toEqual(['--', 'login']);
    expect(args({ prompt: '-x', resume: 'id', fork: true }).slice(-4)).toEqual([
      'fork',
      'id',
      '--',
      '-x',
    ]);
  });

  test.each([{ outputSchema: { type: 'object' } }, { maxTurns: 3 }])(
    'refuse %j',
    async (options) => {
      const opened = codexBackend().interactive?.({ cwd: folder, ...options });
      await expect(opened).rejects.toMatchObject({ code: 'capability_missing' });
    },
  );
});

describe('a Codex that cannot start because others start for the first time', () => {
  const RACE = 'Error: failed to initialize sqlite state runtime under /h: failed to initialize';
  /** A program that fails so often with these words, and then answers. */
  const standIn = (failures: number, words: string) => {
    const path = join(mkdtempSync(join(folder, 'stand-in-')), 'codex');
    const count = `${path}.starts`;
    const lines = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Hello.' } },
      { type: 'turn.completed', usage: {} },
    ];
    const script = `#!/bin/sh
echo start >> ${count}
[ $(wc -l < ${count}) -le ${failures} ] && { echo '${words}' >&2; exit 1; }
cat <<'LINES'
${lines.map((line) => JSON.stringify(line)).join('\n')}
LINES
`;
    writeFileSync(path, script, { mode: 0o755 });
    return { path, starts: () => readFileSync(count, 'utf8').trim().split('\n').length };
  };
  const runWith = (binary: string) =>
    codexBackend({ binary }).run({ prompt: 'Hi', cwd: folder, transport: 'print' }).collect();

  test('is retried, because it did not have the prompt yet', async () => {
    const { path, starts } = standIn(2, RACE);
    expect(await runWith(path)).toMatchObject({ outcome: 'done', output: 'Hello.' });
    expect(starts()).toBe(3);
  });

  test('is not started again after another failure', async () => {
    const { path, starts } = standIn(2, 'Error: no luck today');
    expect((await runWith(path)).error?.message).toContain('no luck today');
    expect(starts()).toBe(1);
  });
});
