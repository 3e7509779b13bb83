import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, object, parseJson, string } from '../../normalize/json.ts';

const FOLDER = join(tmpdir(), `baton-demo-${process.getuid?.() ?? 'user'}`);

/** A conversation of the demo agent: the prompts it was given so far. */
export type DemoSession = { id: string; prompts: string[] };

/** Starts a session, or goes on with an earlier one; nothing when there is no such session. */
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
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(session.id), JSON.stringify(session), { mode: 0o600 });
}

function read(id: string): DemoSession | undefined {
  try {
    const saved = object(parseJson(readFileSync(fileOf(id), 'utf8')));
    const prompts = array(saved.prompts).filter((prompt) => typeof prompt === 'string');
    return string(saved.id) === id ? { id, prompts } : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(id: string): string {
  return join(FOLDER, `${id.replaceAll(/[^\w-]/g, '_')}.json`);
}
