import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { number, object, parseJson } from '../../normalize/json.ts';
import { lastLine } from '../last-line.ts';
import { claudeFolder } from './credentials.ts';
import type { Totals } from './usage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a session had cost when Claude last wrote it into the transcript; nothing when that cannot be found. Claude
 * restores its totals from the same line, so a release that goes on counting there is one that wrote it.
 */
export function earlierTotals(sessionId: string, env: Environment): Totals | undefined {
  if (!/^[\w-]+$/.test(sessionId)) return undefined;
  try {
    const path = transcriptPath(sessionId, env);
    return path === undefined ? undefined : lastLine(path, totalsIn).found;
  } catch {
    return undefined;
  }
}

function transcriptPath(sessionId: string, env: Environment): string | undefined {
  const projects = join(claudeFolder(env), 'projects');
  return readdirSync(projects)
    .map((project) => join(projects, project, `${sessionId}.jsonl`))
    .find((path) => existsSync(path));
}

function totalsIn(line: string): Totals | undefined {
  if (!line.includes('"cost-state"')) return undefined;
  const { type, totalCostUSD, modelUsage } = object(parseJson(line));
  const costUsd = type === 'cost-state' ? number(totalCostUSD) : undefined;
  return costUsd === undefined ? undefined : { costUsd, models: object(modelUsage) };
}
