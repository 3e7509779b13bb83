import { addUsage, errorInfo, type RunOptions } from '@baton/protocol';
import type { ActiveRun } from '../active-run.ts';
import type { PromptInput, Verdict } from '../dialect.ts';
import { correctivePrompt, schemaCheck } from './output-schema.ts';

type Ask = (prompt: PromptInput) => Promise<Verdict>;

/** Asks, checks the answer against its schema, and asks once more when it misses it and that was wanted. */
export async function checkedAnswer(
  run: ActiveRun,
  prompt: PromptInput,
  { outputSchema, outputSchemaRetry }: Pick<RunOptions, 'outputSchema' | 'outputSchemaRetry'>,
  ask: { first: Ask; again: Ask },
): Promise<Verdict> {
  if (!outputSchema) return ask.first(prompt);
  const check = await schemaCheck(outputSchema);
  const judge = (verdict: Verdict) =>
    check({ ...verdict, output: verdict.output ?? run.recorder.lastText });
  const first = await ask.first(prompt);
  if (first.outcome !== 'done') return first;
  const judged = judge(first);
  if (judged.ok) return { ...first, structured: judged.value };
  if (!outputSchemaRetry) return mismatch(first, judged.problem);
  run.emit({ type: 'notice', level: 'warning', code: 'retry', message: judged.problem });
  run.nextTurn();
  const second = await ask.again({
    text: correctivePrompt(judged.problem, outputSchema),
    images: [],
  });
  const sum = { ...second, usage: addUsage(first.usage, second.usage) };
  if (second.outcome !== 'done') return sum;
  const again = judge(second);
  return again.ok ? { ...sum, structured: again.value } : mismatch(sum, again.problem);
}

function mismatch(verdict: Verdict, problem: string): Verdict {
  return { ...verdict, outcome: 'failed', error: errorInfo('schema_mismatch', problem) };
}
