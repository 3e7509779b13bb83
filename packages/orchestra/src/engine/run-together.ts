import { Detached } from './run-step.ts';
import { type StepResult, Suspended } from './step-result.ts';

type JobEnd = { id: string; result: StepResult; isFailure: boolean };
/** Results of the jobs that have run; a stop may come before all have started. */
type Ends = { ends: JobEnd[]; isComplete: boolean };

/** Runs jobs at the same time. With `fail-fast`, a failure stops the others. */
export async function runTogether(
  jobs: readonly ((signal: AbortSignal) => Promise<JobEnd>)[],
  {
    policy,
    concurrency = jobs.length,
    signal,
  }: { policy: 'fail-fast' | 'wait'; concurrency?: number | undefined; signal: AbortSignal },
): Promise<Ends> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const ends: JobEnd[] = [];
  const problems: unknown[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < jobs.length && !either.aborted; index = next++) {
      try {
        // Each has a signal of its own: hundreds of listeners on one look like a leak.
        const end = await jobs[index]?.(AbortSignal.any([either]));
        if (!end) return;
        ends[index] = end;
        if (end.isFailure && policy === 'fail-fast') failed.abort();
      } catch (error) {
        problems.push(error);
        // The engine itself failed: the tasks of the others are joined when the run continues.
        if (!(error instanceof Suspended)) failed.abort(new Detached());
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  const problem = problems.find((each) => !(each instanceof Suspended)) ?? problems[0];
  if (problem !== undefined) throw problem;
  if (either.reason instanceof Detached) throw either.reason;
  const started = ends.filter((end) => end !== undefined);
  return { ends: started, isComplete: started.length === jobs.length };
}

/** The result of steps that ran together: the failure that came first in the file decides. */
export function together(
  { ends, isComplete }: Ends,
  values: Pick<StepResult, 'output' | 'structured'>,
): StepResult {
  const marker = ends.some(({ result }) => result.marker);
  const failures = ends.filter((end) => end.isFailure);
  const failure = failures.find(({ result }) => result.outcome !== 'cancelled') ?? failures[0];
  if (!failure) return { outcome: isComplete ? 'done' : 'cancelled', ...values, marker };
  const { outcome, error } = failure.result;
  return { outcome, error, ...values, marker };
}
