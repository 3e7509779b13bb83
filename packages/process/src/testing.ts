import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { readProcess } from './proc-fs.ts';
import { AgentProcess } from './spawn.ts';
import type { SpawnRequest } from './spawn-request.ts';
import { stopProcess } from './stop-process.ts';

let runs = 0;

/** Makes a directory that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-process-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file, executable by default, and returns its path. */
export function writeProgram(path: string, content: string | Buffer, mode = 0o755): string {
  writeFileSync(path, content, { mode });
  return path;
}

type Launched = { process: AgentProcess; lines: string[] };

/** Starts a process that is killed, with all it started, when the test is over. */
export async function launch(request: Partial<SpawnRequest>): Promise<Launched> {
  const lines: string[] = [];
  const agent = await AgentProcess.spawn({
    file: '/bin/sh',
    args: [],
    cwd: tmpdir(),
    env: process.env,
    runId: `test-${process.pid}-${runs++}`,
    stdin: 'none',
    onLine: (line) => lines.push(line),
    ...request,
  });
  onTestFinished(async () => {
    await stopProcess({ process: agent, steps: [] });
  });
  return { process: agent, lines };
}

/** Starts a shell script in the same way. */
export function launchShell(
  script: string,
  request: Partial<SpawnRequest> = {},
): Promise<Launched> {
  return launch({ args: ['-c', script], ...request });
}

/** Waits until the process has printed that many lines. */
export async function printed({ lines }: Launched, count: number): Promise<string[]> {
  await vi.waitFor(() => {
    if (lines.length < count) throw new Error(`only ${lines.length} lines so far`);
  });
  return lines;
}

/** Tells whether a process runs; one that only waits to be collected does not. */
export function isRunning(pid: number | string | undefined): boolean {
  const state = pid && readProcess(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== '';
}
