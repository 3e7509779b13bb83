import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileDiff } from '@baton/engine/normalize/diff';
import type { Action, FileChange } from '@baton/protocol/values';

/** Maximum length of a command's output that is repeated at its end. */
const MOST_OUTPUT = 1_000_000;

export type ToolReport = { ok: boolean; output: string; exitCode?: number | undefined };

/** Reads a file, or lists a folder. */
export function readPath(path: string): ToolReport {
  return attempt(() => {
    if (statSync(path).isDirectory()) return readdirSync(path).sort().slice(0, 20).join('\n');
    return readFileSync(path, 'utf8');
  });
}

/** Returns the action of writing a file: only the differences if the file exists. */
export function editAction(path: string, content: string): Action {
  const before = attempt(() => readFileSync(path, 'utf8'));
  const change: FileChange = before.ok
    ? { path, kind: 'edit', diff: fileDiff(before.output, content) }
    : { path, kind: 'add', diff: content };
  return { type: 'file.edit', changes: [change] };
}

/** Writes a file. */
export function writePath(path: string, content: string): ToolReport {
  return attempt(() => {
    writeFileSync(path, content);
    return `Wrote ${Buffer.byteLength(content)} bytes to ${relative('.', path)}.`;
  });
}

/** Runs a command in the shell; aborting kills it, unless it runs in a separate session. */
export function runCommand(
  command: string,
  options: {
    ownSession: boolean;
    abort: AbortSignal;
    /** Settles when more can be taken. */
    onOutput(text: string): Promise<void> | void;
  },
): Promise<ToolReport> {
  const { promise, resolve } = Promise.withResolvers<ToolReport>();
  const child = spawn('/bin/sh', ['-c', command], {
    detached: options.ownSession,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const take = async (chunk: string) => {
    if (output.length < MOST_OUTPUT) output += chunk.slice(0, MOST_OUTPUT - output.length);
    const streams = [child.stdout, child.stderr];
    for (const stream of streams) stream.pause();
    await options.onOutput(chunk);
    for (const stream of streams) stream.resume();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => void take(chunk));
  }
  const kill = () => {
    if (!options.ownSession) child.kill('SIGKILL');
    resolve({ ok: false, output });
  };
  options.abort.addEventListener('abort', kill, { once: true });
  child.once('error', (error) => resolve({ ok: false, output: error.message }));
  child.once('close', (code) => resolve({ ok: code === 0, output, exitCode: code ?? undefined }));
  return promise.finally(() => options.abort.removeEventListener('abort', kill));
}

function attempt(act: () => string): ToolReport {
  try {
    return { ok: true, output: act() };
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) };
  }
}
