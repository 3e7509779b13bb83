import type { PermissionRequest } from '@baton/protocol';
import { expect, test } from 'vitest';
import { isWholeTool, patternOf } from './pattern.ts';

const asked = (action: PermissionRequest['action']): PermissionRequest => ({
  requestId: 'r',
  tool: 'tool',
  action,
  scopes: [],
});

test('a pattern matches exactly the requested action, including stars', () => {
  expect(patternOf(asked({ type: 'command', command: 'rm *.log' }))).toBe('rm \\*.log');
  expect(patternOf(asked({ type: 'file.read', path: '/a' }))).toBe('/a');
});

test('several files, renames and whole tools have no pattern', () => {
  const renamed = [{ path: 'a', kind: 'rename' as const, newPath: 'b' }];
  expect(patternOf(asked({ type: 'file.edit', changes: renamed }))).toBeUndefined();
  const changes = [
    { path: 'a', kind: 'edit' as const },
    { path: 'b', kind: 'edit' as const },
  ];
  expect(patternOf(asked({ type: 'file.edit', changes }))).toBeUndefined();
  expect(patternOf(asked({ type: 'mcp', server: 's', tool: 't' }))).toBeUndefined();
});

test('a longer scope covers the whole tool where rules ignore its arguments', () => {
  expect(isWholeTool(asked({ type: 'mcp', server: 's', tool: 't' }))).toBe(true);
  expect(isWholeTool(asked({ type: 'command', command: 'ls' }))).toBe(false);
  expect(isWholeTool(asked({ type: 'other' }))).toBe(false);
});
