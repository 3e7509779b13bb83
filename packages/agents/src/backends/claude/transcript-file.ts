import { globSync } from 'node:fs';
import { join } from 'node:path';
import { lastLine } from '@baton/config/paths/last-line';
import { number, object, parseJson } from '@baton/config/values/json';
import type { ResolvedOptions } from '@baton/engine/definition/driver';
import { hasSystemPrompt } from '@baton/engine/emulate/system-prompt';
import type { Totals } from '../../dialects/claude-stream-json/usage.ts';
import { claudeFolder } from './credentials.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The cost of a session when Claude last wrote it to the transcript; undefined if not found. Claude restores its totals
 * from the same line, so a release that keeps counting there is one that wrote it.
 */
export function earlierTotals(sessionId: string, env: Environment): Totals | undefined {
  try {
    const path = transcriptPath(sessionId, env);
    return path === undefined ? undefined : lastLine(path, totalsIn).found;
  } catch {
    return undefined;
  }
}

/** A session keeps the system prompt that it began with, whatever it is resumed with; it is in the transcript. */
export function lacksSystemPrompt({ systemPrompt, resume, env }: ResolvedOptions): boolean {
  if (!systemPrompt || !resume) return false;
  const path = transcriptPath(resume, env);
  return path !== undefined && !hasSystemPrompt([path], systemPrompt);
}

function transcriptPath(sessionId: string, env: Environment): string | undefined {
  if (!/^[\w-]+$/.test(sessionId)) return undefined;
  const projects = join(claudeFolder(env), 'projects');
  const [path] = globSync(`*/${sessionId}.jsonl`, { cwd: projects });
  return path && join(projects, path);
}

function totalsIn(line: string): Totals | undefined {
  if (!line.includes('"cost-state"')) return undefined;
  const { type, totalCostUSD, modelUsage } = object(parseJson(line));
  const costUsd = type === 'cost-state' ? number(totalCostUSD) : undefined;
  return costUsd === undefined ? undefined : { costUsd, models: object(modelUsage) };
}
