import type { Capabilities, RunRequest } from '@baton/protocol';
import { expect, test } from 'vitest';
import { addMcpServers } from './add-mcp-servers.ts';

const able = { features: { mcp: true } } as Capabilities;
const kept = { a: { command: 'a' }, b: { command: 'b' } };
const request = (more: Partial<RunRequest> = {}): RunRequest => ({ prompt: 'Hi', ...more });

test('a run has the servers that every task gets, and its own', () => {
  const own = { mcpServers: { b: { command: 'own' }, c: { command: 'c' } } };
  expect(addMcpServers(request({ mcpConfig: own }), kept, able).mcpConfig).toEqual({
    mcpServers: { a: { command: 'a' }, b: { command: 'own' }, c: { command: 'c' } },
  });
  expect(addMcpServers(request(), kept, able).mcpConfig).toEqual({ mcpServers: kept });
});

test('does not change a run without servers, with a config file, or for an agent without MCP', () => {
  expect(addMcpServers(request(), {}, able)).toEqual(request());
  const file = request({ mcpConfig: '/servers.json' });
  expect(addMcpServers(file, kept, able)).toEqual(file);
  const unable = { features: { mcp: false } } as Capabilities;
  expect(addMcpServers(request(), kept, unable)).toEqual(request());
});
