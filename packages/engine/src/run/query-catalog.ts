import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentProcess, stopProcess } from '@baton/process';
import { raceTimer } from '@baton/process/time/race-timer';
import type { AgentCatalog } from '@baton/protocol/values';
import type { CatalogQuery } from '../definition/backend-entry.ts';

const ANSWER_MS = 10_000;

type AskedAgent = {
  file: string;
  /** The whole environment of the agent. */
  env: Readonly<Record<string, string | undefined>>;
  answerMs?: number;
};

/** Starts an agent, asks for its models and commands, and stops it; empty when it does not answer in time. */
export async function queryCatalog(
  { args, frames, read }: CatalogQuery,
  { file, env, answerMs = ANSWER_MS }: AskedAgent,
): Promise<AgentCatalog> {
  // An empty folder: a project could bring settings and MCP servers.
  const cwd = mkdtempSync(join(tmpdir(), 'baton-catalog-'));
  const answered = Promise.withResolvers<void>();
  let catalog: AgentCatalog | undefined;
  const onLine = (line: string) => {
    catalog ??= read(line);
    if (catalog) answered.resolve();
  };
  try {
    const runId = randomUUID();
    const agent = await AgentProcess.spawn({ file, args, cwd, env, runId, stdin: 'pipe', onLine });
    for (const frame of frames) agent.write(`${frame}\n`);
    await raceTimer([answered.promise, agent.closed], answerMs);
    await stopProcess({ process: agent, steps: [] });
    return catalog ?? { models: [], commands: [] };
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
}
