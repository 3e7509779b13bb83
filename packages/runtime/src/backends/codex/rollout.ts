import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { object, parseJson } from '../../normalize/json.ts';
import { lastLine } from '../last-line.ts';
import { codexHome } from './codex-home.ts';
import { readTokens, type Tokens } from './usage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DAY_MS = 86_400_000;
/** The total of a thread to which no model has answered. */
const NOTHING_YET = readTokens({});

/** What a thread had consumed when Codex last wrote it down; nothing when that cannot be found. */
export function earlierTokens(threadId: string, env: Environment): Tokens | undefined {
  try {
    const path = rolloutPath(threadId, env);
    return path === undefined ? undefined : lastCount(path);
  } catch {
    return undefined;
  }
}

/** Whether a text was said in a thread, by whomever; a thread that cannot be read contains nothing. */
export function threadContains(threadId: string, text: string, env: Environment): boolean {
  try {
    const path = rolloutPath(threadId, env);
    if (path === undefined) return false;
    const written = JSON.stringify(text).slice(1, -1);
    return lastLine(path, (line) => line.includes(written) || undefined).found === true;
  } catch {
    return false;
  }
}

/** Threads are kept by the local day of their start, which their id (a UUID of version 7) tells. */
function rolloutPath(threadId: string, env: Environment): string | undefined {
  const startedAt = Number.parseInt(threadId.replaceAll('-', '').slice(0, 12), 16);
  if (!Number.isFinite(startedAt)) return undefined;
  for (const days of [0, -1, 1]) {
    const date = new Date(startedAt + days * DAY_MS);
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
    const names = parts.map((part) => String(part).padStart(2, '0'));
    const folder = join(codexHome(env), 'sessions', ...names);
    const file = filesIn(folder).find((name) => name.endsWith(`-${threadId}.jsonl`));
    if (file) return join(folder, file);
  }
  return undefined;
}

function lastCount(path: string): Tokens | undefined {
  const { found, isWhole } = lastLine(path, (line) =>
    line.includes('"token_count"') ? countOf(line) : undefined,
  );
  return found ?? (isWhole ? NOTHING_YET : undefined);
}

function countOf(line: string): Tokens | undefined {
  const { payload } = object(parseJson(line));
  const { info, type } = object(payload);
  const total = object(info).total_token_usage;
  return type === 'token_count' && total ? readTokens(total) : undefined;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
