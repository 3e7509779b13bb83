import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { track } from '../world/leave-nothing.ts';

export type Json = Record<string, unknown>;

export type BareCommand = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
};

/** Dialog of a caller with the agent; without it the agent gets no input and its output is only read. */
export type Talk = {
  begin(write: (frame: string) => void): void;
  /** Handles a line; returns true once the agent has finished and its input can be closed. */
  read(frame: Json, write: (frame: string) => void): boolean;
};

/** Runs an agent as plainly as Node can: start it, read its lines as JSON, wait for its end. */
export async function runBare(command: BareCommand, talk?: Talk): Promise<void> {
  const { file, args, cwd, env } = command;
  const child = track(
    spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: [talk ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // Linux gives each session its share of the processors: both agents need one of their own.
      detached: true,
    }),
  );
  child.stderr?.resume();
  const write = (frame: string) => void child.stdin?.write(`${frame}\n`);
  readLines(child.stdout, (frame) => {
    if (talk?.read(frame, write)) child.stdin?.end();
  });
  talk?.begin(write);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}

/** Splits a stream into lines and parses each, the plain way. */
export function readLines(stream: NodeJS.ReadableStream | null, take: (frame: Json) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(JSON.parse(line));
  });
}
