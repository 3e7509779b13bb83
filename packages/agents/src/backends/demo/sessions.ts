import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { array, object, parseJson, string } from '@baton/config/values/json';

/** Folder in which the demo agent keeps its sessions. */
export const SESSIONS_FOLDER = join(homeFolder(), '.baton', 'demo-sessions');
/** Maximum number of stored sessions. */
const KEPT = 100;

/** A conversation of the demo agent: the prompts it was given so far. */
export type DemoSession = {
  id: string;
  prompts: string[];
  /** The turn that waits for an answer: its prompt, and how many of its steps are done. */
  unfinished?: { prompt: string; done: number } | undefined;
};

/** Starts or resumes a session; undefined if it does not exist. */
export function openSession(input: {
  resume?: string | undefined;
  fork?: boolean | undefined;
  sessionId?: string | undefined;
}): DemoSession | undefined {
  if (!input.resume) return { id: input.sessionId ?? randomUUID(), prompts: [] };
  const saved = read(input.resume);
  if (!saved) return undefined;
  return input.fork ? { id: randomUUID(), prompts: saved.prompts } : saved;
}

/** Keeps a session for later. */
export function saveSession(session: DemoSession): void {
  for (const folder of [dirname(SESSIONS_FOLDER), SESSIONS_FOLDER]) makeFolder(folder);
  if (session.prompts.length === 1) forgetOld();
  writeFileSync(fileOf(session.id), JSON.stringify(session), { mode: 0o600 });
}

/** Not `recursive`, with which Node tries for ever where the system allows no folder, as in /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function forgetOld(): void {
  const files = readdirSync(SESSIONS_FOLDER).map((name) => join(SESSIONS_FOLDER, name));
  if (files.length < KEPT) return;
  const age = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const oldest = files.map((path) => ({ path, at: age(path) })).sort((a, b) => b.at - a.at);
  for (const { path } of oldest.slice(KEPT / 2)) rmSync(path, { force: true });
}

function read(id: string): DemoSession | undefined {
  try {
    const saved = object(parseJson(readFileSync(fileOf(id), 'utf8')));
    const prompts = array(saved.prompts).filter((prompt) => typeof prompt === 'string');
    const { prompt, done } = object(saved.unfinished);
    const unfinished =
      typeof prompt === 'string' && typeof done === 'number' ? { prompt, done } : undefined;
    return string(saved.id) === id ? { id, prompts, unfinished } : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(id: string): string {
  return join(SESSIONS_FOLDER, `${id.replaceAll(/[^\w-]/g, '_')}.json`);
}
