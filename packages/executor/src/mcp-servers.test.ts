import type { Capabilities, RunRequest } from '@baton/protocol';
import { expect, test } from 'vitest';
import { withMcpServers } from './mcp-servers.ts';

const able = { features: { mcp: true } } as Capabilities;
const kept = { a: { command: 'a' }, b: { command: 'b' } };
const request = (more: Partial<RunRequest> = {}): RunRequest => ({ prompt: 'Hi', ...more });

test('a run has the servers that every task gets, and its own', () => {
  const own = { mcpServers: { b: { command: 'own' }, c: { command: 'c' } } };
  expect(withMcpServers(request({ mcpConfig: own }), kept, able).mcpConfig).toEqual({
    mcpServers: { a: { command: 'a' }, b: { command: 'own' }, c: { command: 'c' } },
  });
  expect(withMcpServers(request(), kept, able).mcpConfig).toEqual({ mcpServers: kept });
});

test('a run is left as it is where there are none, where it names a file, and where its agent has no use for them', () => {
  expect(withMcpServers(request(), {}, able)).toEqual(request());
  const file = request({ mcpConfig: '/servers.json' });
  expect(withMcpServers(file, kept, able)).toEqual(file);
  const unable = { features: { mcp: false } } as Capabilities;
  expect(withMcpServers(request(), kept, unable)).toEqual(request());
});
