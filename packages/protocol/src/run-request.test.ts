import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import {
  type RunOptions,
  type RunRequest,
  runOptionsSchema,
  runRequestSchema,
} from './run-request.ts';

test('the documented types are those of the schemas', () => {
  expectTypeOf<RunOptions>().toEqualTypeOf<z.infer<typeof runOptionsSchema>>();
  expectTypeOf<RunRequest>().toEqualTypeOf<z.infer<typeof runRequestSchema>>();
});

test('a request with every option passes unchanged', () => {
  const request = {
    prompt: 'Hello',
    systemPrompt: 's',
    cwd: '/w',
    env: { A: 'b' },
    model: 'm',
    maxTurns: 3,
    tools: { allowed: ['Read'], disallowed: ['Bash'] },
    settings: { theme: 'dark' },
    mcpConfig: { mcpServers: { files: { command: 'x', args: ['y'], env: { K: 'v' } } } },
    mode: 'print',
    providerOptions: { effort: 'high' },
    rawArgs: ['--x'],
    permissionMode: 'auto',
    resume: 'id',
    fork: true,
    sessionId: 'id2',
    outputSchema: { type: 'object' },
    outputSchemaRetry: true,
    timeouts: { startMs: 1, idleMs: 2, totalMs: 0, consumerMs: 4 },
    retry: { attempts: 2, baseMs: 10 },
    budgetUsd: 1.5,
    images: [{ path: 'a.png' }, { data: 'AAAA', mimeType: 'image/png' }],
    transport: 'live',
  };
  expect(runRequestSchema.parse(request)).toEqual(request);
});

describe('a mistake is refused', () => {
  test.each([
    ['an unknown option', { prompts: 'x' }],
    ['an unknown timeout', { timeouts: { totalMS: 1 } }],
    ['an unknown tool list', { tools: { allow: ['Read'] } }],
    ['an unknown retry option', { retry: { attempts: 1, factor: 3 } }],
    ['an MCP server beside the list', { mcpConfig: { mcpServers: {}, servers: {} } }],
    ['no turns at all', { maxTurns: 0 }],
    ['half a turn', { maxTurns: 1.5 }],
    ['a negative timeout', { timeouts: { totalMs: -1 } }],
    ['a budget of nothing', { budgetUsd: 0 }],
    ['an unknown permission mode', { permissionMode: 'yolo' }],
    ['a variable that is no text', { env: { A: 1 } }],
    ['a picture that is neither a file nor data', { images: [{ url: 'x' }] }],
    ['a picture without its type', { images: [{ data: 'AAAA' }] }],
    [
      'an MCP server that is neither a command nor an address',
      { mcpConfig: { mcpServers: { a: {} } } },
    ],
  ])('%s', (_name, options) => {
    expect(runOptionsSchema.safeParse(options).success).toBe(false);
    expect(runRequestSchema.safeParse({ prompt: 'Hi', ...options }).success).toBe(false);
  });

  test('a request without a prompt', () => {
    expect(runRequestSchema.safeParse({}).success).toBe(false);
  });
});
