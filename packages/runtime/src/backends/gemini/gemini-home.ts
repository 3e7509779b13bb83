import { globSync, linkSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import type { Credentials, Surroundings } from '../../definition/backend-entry.ts';
import { searchCredentials } from '../../kit/credentials.ts';
import { readOptionalJson } from '../../kit/json-file.ts';
import { array, isObject, type Json, object, parseJson, string } from '../../normalize/json.ts';
import { isInside } from '../../paths/is-inside.ts';

/** How far back a free minute is looked for; a session has one or two files. */
const MINUTES_BACK = 100;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Gemini CLI keeps its settings, sessions and login. */
export function geminiFolder(env: Environment): string {
  return join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini');
}

/** The user's settings of Gemini CLI, which have the MCP servers. */
export function geminiSettingsPath(env: Environment): string {
  return join(geminiFolder(env), 'settings.json');
}

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
  for (const chats of globSync(join(geminiFolder(env), 'tmp/*/chats'))) {
    const files = sessionFiles(chats);
    for (const twins of Map.groupBy(files, ({ shortId }) => shortId).values()) {
      if (twins.length > 1) removeEmptyTwins(chats, twins);
    }
    const open = files.filter(({ shortId }) => shortId === resume?.slice(0, 8));
    for (const file of open)
      if (file.name >= fileName(now, file.shortId)) setBack(chats, file, now);
  }
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
  const records = readLines(path).map((line) => object(parseJson(line)));
  return {
    sessionId: records.map((each) => string(each.sessionId)).find((id) => id !== undefined),
    hasMessages: !records.every(isAboutSession),
  };
}

/** Whether a record is about the session itself: facts, or a change to them. Anything else may be a message. */
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

/** Looks for what Gemini CLI would log in with. */
export function geminiCredentials({ env }: Pick<Surroundings, 'env'>): Credentials {
  return searchCredentials(
    [
      { variable: 'GEMINI_API_KEY' },
      { variable: 'GOOGLE_API_KEY' },
      { variable: 'GOOGLE_GENAI_USE_VERTEXAI' },
      { variable: 'GOOGLE_GENAI_USE_GCA' },
      { file: join(geminiFolder(env), 'oauth_creds.json') },
    ],
    env,
  );
}

/** Without an interface Gemini CLI does not ask how to log in: with a base URL of one's own it needs to be told. */
export function geminiProblems({ env }: Pick<Surroundings, 'env'>): ErrorInfo[] {
  if (!env.GOOGLE_GEMINI_BASE_URL || selectedAuth(env) !== undefined) return [];
  const message =
    'Gemini CLI does not know how to log in to the address in GOOGLE_GEMINI_BASE_URL.';
  const hint = `Put {"security":{"auth":{"selectedType":"gemini-api-key"}}} into ${join(geminiFolder(env), 'settings.json')}.`;
  return [errorInfo('auth_missing', message, { hint })];
}

/** The way to log in that a session needs to be told: the user chose none, and there is a key. */
export function authMethod(env: Environment): string | undefined {
  if (selectedAuth(env) !== undefined) return undefined;
  return env.GEMINI_API_KEY ? 'gemini-api-key' : undefined;
}

function selectedAuth(env: Environment): string | undefined {
  const settings = readOptionalJson(join(geminiFolder(env), 'settings.json'));
  return string(object(object(settings.security).auth).selectedType);
}

/** Whether Gemini CLI was told to trust a folder; the nearest folder that it was told of decides. */
export function geminiTrusts({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): boolean | undefined {
  const file =
    env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiFolder(env), 'trustedFolders.json');
  const rules = Object.entries(readOptionalJson(file)).flatMap(([folder, level]) => {
    const place = level === 'TRUST_PARENT' ? join(folder, '..') : folder;
    const applies = isInside(place, cwd, { orEqual: true });
    return applies ? [{ place, isTrusted: level !== 'DO_NOT_TRUST' }] : [];
  });
  return rules.toSorted((one, other) => other.place.length - one.place.length)[0]?.isTrusted;
}
