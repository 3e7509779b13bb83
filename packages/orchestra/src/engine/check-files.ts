import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/protocol';
import type { AgentStep } from '../chain.ts';
import { sha256 } from '../file/included-files.ts';

/**
 * Throws if a file that the agent of a step reads itself, such as its MCP servers, is no longer the one that was loaded
 * and trusted: an earlier step may have been allowed to edit it.
 */
export function checkFiles({ id, files = {} }: Pick<AgentStep, 'id' | 'files'>): void {
  for (const [path, hash] of Object.entries(files)) {
    if (hashOf(path) === hash) continue;
    throw new BatonError(
      'config_invalid',
      `A file of step "${id}" changed since the start: ${path}.`,
      {
        hint: 'Review it, then start the chain again.',
      },
    );
  }
}

function hashOf(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch {
    return undefined;
  }
}
