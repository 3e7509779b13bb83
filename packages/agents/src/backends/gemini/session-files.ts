import { existsSync, globSync, linkSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  count,
  isObject,
  type Json,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';
import type { Verdict } from '@baton/engine/definition/dialect';
import { addUsage, type Usage } from '@baton/protocol/values';
import { geminiFolder } from './gemini-home.ts';

/** Number of minutes to search back for a free one; a session has one or two files. */
const MINUTES_BACK = 100;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keeps the sessions of Gemini CLI safe from two of its faults; called before each start and after each resume.
 *
 * - A process that resumes a session first begins a file of its own for it, named after the current minute, and leaves
 *   it without a message beside the file with the conversation. The next process takes it for a dead session and deletes
 *   every file of that session: such a file is removed.
 * - In the minute in which the session began both files have the same name, and the new beginning empties the
 *   conversation: a file that is about to be resumed gets the name of an earlier minute, never that of another file.
 */
export function protectSessions(env: Environment, resume?: string, now = Date.now()): void {
  for (const chats of chatFolders(env)) {
    const files = sessionFiles(chats);
    for (const twins of Map.groupBy(files, ({ shortId }) => shortId).values()) {
      if (twins.length > 1) removeEmptyTwins(chats, twins);
    }
    const open = files.filter(
      ({ shortId }) => resume !== undefined && shortId === shortIdOf(resume),
    );
    for (const file of open)
      if (file.name >= fileName(now, file.shortId)) setBack(chats, file, now);
  }
}

/** The part of the id of a session that is in the names of its files. */
function shortIdOf(sessionId: string): string {
  return sessionId.slice(0, 8);
}

/** The folders of sessions, one for each project. */
function chatFolders(env: Environment): string[] {
  const folder = geminiFolder(env);
  return globSync('tmp/*/chats', { cwd: folder }).map((path) => join(folder, path));
}

type SessionFile = { name: string; shortId: string };

function sessionFiles(chats: string): SessionFile[] {
  return readdirSync(chats).flatMap((name) => {
    const shortId = /^session-[\dT-]+-(.{8})\.jsonl$/.exec(name)?.[1];
    return shortId === undefined ? [] : [{ name, shortId }];
  });
}

function fileName(time: number, shortId: string): string {
  const minute = new Date(time).toISOString().slice(0, 16).replace(':', '-');
  return `session-${minute}-${shortId}.jsonl`;
}

/** Removes the files without a message of sessions that have another file with some. */
function removeEmptyTwins(chats: string, twins: readonly SessionFile[]): void {
  const read = twins.map(({ name }) => ({ name, ...readSession(join(chats, name)) }));
  for (const { name, sessionId, hasMessages } of read) {
    if (hasMessages || sessionId === undefined) continue;
    const hasOther = read.some((each) => each.sessionId === sessionId && each.hasMessages);
    if (hasOther) rmSync(join(chats, name), { force: true });
  }
}

function readSession(path: string) {
  const records = readRecords(path);
  return {
    sessionId: records.map((each) => string(each.sessionId)).find((id) => id !== undefined),
    hasMessages: !records.every(isAboutSession),
  };
}

/** True if a record is about the session itself: facts, or a change to them. Anything else may be a message. */
function isAboutSession(record: Json): boolean {
  const isChange = isObject(record.$set);
  if (!isChange && (record.sessionId === undefined || record.id !== undefined)) return false;
  const { messages } = isChange ? object(record.$set) : record;
  return array(messages).map(object).every(isSetup);
}

/** The first message of each session, which Gemini CLI itself writes. */
function isSetup({ type, content }: Json): boolean {
  const words = array(content).map((part) => string(object(part).text) ?? '');
  return type === 'user' && words.join('').startsWith('<session_context>');
}

/** The replies of the model in a session, by the ids of their messages. */
type SessionReplies = {
  main: ReadonlyMap<string, Json>;
  /** Those of the sub-agents too: each has a file in a folder that is named after the session that called it. */
  all: ReadonlyMap<string, Json>;
};

export function sessionReplies(sessionId: string, env: Environment): SessionReplies {
  const folders = chatFolders(env);
  const files = folders.flatMap((chats) =>
    sessionFiles(chats)
      .filter(({ shortId }) => shortId === shortIdOf(sessionId))
      .map(({ name }) => join(chats, name)),
  );
  const records = files.map(readRecords);
  const own = records.filter((lines) => lines.some((each) => each.sessionId === sessionId));
  const main = repliesIn(own.flat());
  const subAgents = folders.flatMap((chats) => subAgentRecords(chats, sessionId));
  return { main, all: new Map([...main, ...repliesIn(subAgents)]) };
}

function repliesIn(records: readonly Json[]): ReadonlyMap<string, Json> {
  const replies = records.filter(({ id, type }) => id !== undefined && type === 'gemini');
  // A message is written again when its tools have ended.
  return new Map(replies.map((each) => [String(each.id), each]));
}

/** The records of the sub-agents of a session, and of theirs. */
function subAgentRecords(chats: string, sessionId: string, above: readonly string[] = []): Json[] {
  const folder = join(chats, sessionId);
  if (above.includes(sessionId) || !isFolderName(sessionId) || !existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.flatMap((name) => [
    ...readRecords(join(folder, name)),
    ...subAgentRecords(chats, name.slice(0, -'.jsonl'.length), [...above, sessionId]),
  ]);
}

/** The id of a session may come from a caller, and must not lead out of the folder. */
function isFolderName(sessionId: string): boolean {
  return /^[\w-]+$/.test(sessionId);
}

function readRecords(path: string): Json[] {
  return readLines(path).map((line) => object(parseJson(line)));
}

/**
 * Returns the usage of replies. Gemini CLI reports less to its client: no thoughts, no cached input, nothing after a
 * stop.
 */
export function consumedBy(replies: Iterable<Json>): Pick<Verdict, 'usage' | 'usageByModel'> {
  const byModel = new Map<string, Usage | undefined>();
  let usage: Usage | undefined;
  for (const { model, tokens } of replies) {
    // A provider may not count them.
    if (!isObject(tokens)) continue;
    const used = usageOf(tokens);
    const name = string(model) ?? '';
    usage = addUsage(usage, used);
    byModel.set(name, addUsage(byModel.get(name), used));
  }
  const models = [...byModel].flatMap(([name, used]) => (used ? [[name, used] as const] : []));
  return usage ? { usage, usageByModel: Object.fromEntries(models) } : {};
}

function usageOf(tokens: Json): Usage {
  const inputTokens = count(tokens.input) ?? 0;
  const reasoningTokens = count(tokens.thoughts) ?? 0;
  const outputTokens = (count(tokens.output) ?? 0) + reasoningTokens;
  return {
    inputTokens,
    cachedInputTokens: count(tokens.cached) ?? 0,
    outputTokens,
    reasoningTokens,
    totalTokens: inputTokens + outputTokens,
  };
}

/** None where the file is gone or cannot be read. */
function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Gives a file the name of the next free minute before now. A link, unlike a rename, replaces no other file. */
function setBack(chats: string, { name, shortId }: SessionFile, now: number): void {
  for (let minutes = 1; minutes <= MINUTES_BACK; minutes += 1) {
    try {
      linkSync(join(chats, name), join(chats, fileName(now - minutes * 60_000, shortId)));
      return rmSync(join(chats, name));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return;
    }
  }
}
