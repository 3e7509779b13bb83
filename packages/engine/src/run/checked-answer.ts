import {
  addUsage,
  BatonError,
  errorInfo,
  type ParseOutput,
  type RunOptions,
} from '@baton/protocol/values';
import type { PromptInput, Verdict } from '../definition/dialect.ts';
import { correctivePrompt, type SchemaCheck, schemaCheck } from '../emulate/schema-check.ts';
import type { ActiveRun } from './active-run.ts';

type Ask = (prompt: PromptInput) => Promise<Verdict>;

type Checked = Pick<RunOptions, 'outputSchema' | 'outputSchemaRetry'> & {
  /** Parses an answer that matches, with the library of the schema. */
  parse: ParseOutput | undefined;
};

/** Asks, checks the answer against its schema, and asks once more when it misses it and that was wanted. */
export async function checkedAnswer(
  run: ActiveRun,
  prompt: PromptInput,
  { outputSchema, outputSchemaRetry, parse }: Checked,
  ask: { first: Ask; again: Ask },
): Promise<Verdict> {
  if (!outputSchema) return ask.first(prompt);
  const check = await compiled(outputSchema);
  const judge = async (verdict: Verdict) => {
    const judged = check({ ...verdict, output: verdict.output ?? run.recorder.lastText });
    if (!judged.ok || !parse) return judged;
    const parsed = await parse(judged.value);
    if (!parsed.ok) return parsed;
    run.parsed = { value: parsed.value };
    return judged;
  };
  const first = await ask.first(prompt);
  if (first.outcome !== 'done') return first;
  const judged = await judge(first);
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
  const again = await judge(second);
  return again.ok ? { ...sum, structured: again.value } : mismatch(sum, again.problem);
}

/** Ajv, which takes long to load, may find fault with a schema whose form was in order. */
function compiled(outputSchema: Record<string, unknown>): Promise<SchemaCheck> {
  return schemaCheck(outputSchema).catch((error: Error) => {
    throw new BatonError('config_invalid', error.message);
  });
}

function mismatch(verdict: Verdict, problem: string): Verdict {
  return { ...verdict, outcome: 'failed', error: errorInfo('schema_mismatch', problem) };
}
