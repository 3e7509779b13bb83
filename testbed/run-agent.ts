import { spawn } from 'node:child_process';
import { type JsonObject, parseObject } from './fake-model/json.ts';

/** An agent that speaks JSON lines on stdin and stdout. */
export interface RunningAgent {
  /** Everything it has said so far. */
  readonly events: readonly JsonObject[];
  send(message: JsonObject): void;
  /** The first event that passes, whether it is here already or yet to come. */
  until(passes: (event: JsonObject) => boolean): Promise<JsonObject>;
  /** Closes stdin, after a last text, and waits for the end. */
  finish(text?: string): Promise<{ exit: number | null; events: readonly JsonObject[] }>;
  kill(): void;
}

/** Starts an agent with nothing in its environment but PATH and what is given. */
export function startAgent(
  program: string,
  args: string[],
  place: { cwd: string; env: Record<string, string> },
): RunningAgent {
  const env = { PATH: process.env.PATH, ...place.env };
  const child = spawn(program, args, { cwd: place.cwd, env });
  const events: JsonObject[] = [];
  const watchers = new Set<() => void>();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  let pending = '';
  child.stderr.resume();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    // Not with readline, which also splits at U+2028.
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    events.push(...lines.map(parseObject));
    for (const look of watchers) look();
  });

  return {
    events,
    send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    until: (passes) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(passes);
          if (!found) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
        ended.then(() => reject(new Error('The agent has ended without it.')), reject);
      }),
    finish: async (text = '') => {
      child.stdin.end(text);
      return { exit: await ended, events };
    },
    kill: () => child.kill('SIGKILL'),
  };
}
