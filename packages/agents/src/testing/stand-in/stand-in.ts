import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenOptions } from '@baton/engine/definition/backend';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { defineBackend } from '@baton/engine/run/define-backend';
import type { Capabilities, Feature } from '@baton/protocol';
import type { ConformanceSubject, World } from '../../../../agent-tools/src/conformance/index.ts';

/** The command of the stand-in that prints like an agent. */
export function standInCommand(format: string): string {
  return `${process.execPath} "${join(import.meta.dirname, 'agent.ts')}" ${format}`;
}

/** A folder and a home of its own. */
export async function standInWorld(options: Partial<OpenOptions> = {}): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stand-in-')));
  const cwd = join(folder, 'workspace');
  mkdirSync(cwd);
  return {
    cwd,
    options: { ...options, env: { ...options.env, HOME: folder } },
    dispose: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Returns the calls of the stand-in in this world. */
export function callsIn({ options }: World): { args: string[]; stdin?: string }[] {
  const lines = readFileSync(join(options.env?.HOME ?? '', 'calls.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** A backend whose agent is the stand-in, for the conformance suite. */
export async function standInSubject(
  entry: BackendEntry,
  format: string,
  { lacks = [], ...more }: Partial<OpenOptions> & { lacks?: readonly Feature[] } = {},
): Promise<ConformanceSubject> {
  const spec = { ...entry, ...(await entry.load()) };
  const create = defineBackend(spec);
  const backend = create({ command: standInCommand(format), acceptsClaim: true });
  const off = Object.fromEntries(lacks.map((name) => [name, false]));
  const features = { ...backend.capabilities.features, ...off } as Capabilities['features'];
  return {
    backend,
    capabilities: { ...backend.capabilities, features },
    failures: ['rate_limited', 'overloaded', 'quota'],
    folderHooks: [],
    withBinary: (binary) => create({ binary, acceptsClaim: true }),
    prompt: (steps) => `[[${JSON.stringify(steps)}]]`,
    world: () => standInWorld(more),
  };
}
