import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Introduction } from '@baton/protocol';
import { AgentProcess, stopProcess } from './process/index.ts';
import { raceTimer } from './race-timer.ts';

const ANSWER_MS = 10_000;

/** How an agent is asked what it has before it has got a prompt. */
export type IntroductionQuestion = {
  args: readonly string[];
  /** The lines that it is told. */
  frames: readonly string[];
  /** Reads a line of the agent; nothing when that is not the answer. */
  read(line: string): Introduction | undefined;
};

export type AskedAgent = {
  file: string;
  /** The whole environment of the agent. */
  env: Readonly<Record<string, string | undefined>>;
  answerMs?: number;
};

/** Starts an agent, asks which models and commands it has, and ends it; none when it does not say in time. */
export async function askForIntroduction(
  { args, frames, read }: IntroductionQuestion,
  { file, env, answerMs = ANSWER_MS }: AskedAgent,
): Promise<Introduction> {
  // A folder without a project, which would bring settings and servers of its own.
  const cwd = mkdtempSync(join(tmpdir(), 'baton-introduction-'));
  const answered = Promise.withResolvers<void>();
  let introduction: Introduction | undefined;
  const onLine = (line: string) => {
    introduction ??= read(line);
    if (introduction) answered.resolve();
  };
  try {
    const runId = randomUUID();
    const agent = await AgentProcess.spawn({ file, args, cwd, env, runId, stdin: 'pipe', onLine });
    for (const frame of frames) agent.write(`${frame}\n`);
    await raceTimer([answered.promise, agent.closed], answerMs);
    await stopProcess({ process: agent, steps: [] });
    return introduction ?? { models: [], commands: [] };
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
}
