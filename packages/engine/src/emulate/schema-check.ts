import { BatonError } from '@baton/protocol/values';
import type { Verdict } from '../definition/dialect.ts';

export type SchemaCheck = (
  verdict: Verdict & { output: string },
) => { ok: true; value: unknown } | { ok: false; problem: string };

/** Compiles a JSON Schema into a check of an agent's answer. */
export async function schemaCheck(schema: Record<string, unknown>): Promise<SchemaCheck> {
  const validate = await compile(schema);
  return (verdict) => {
    const value = verdict.structured ?? parseAnswer(verdict.output);
    if (value === undefined) return { ok: false, problem: 'The answer is not JSON.' };
    if (validate(value)) return { ok: true, value };
    return { ok: false, problem: validate.problems() };
  };
}

/** The words that ask an agent to correct an answer. */
export function correctivePrompt(problem: string, schema: Record<string, unknown>): string {
  return [
    'Your last answer does not match the requested JSON Schema.',
    problem,
    'Answer again with only the corrected JSON value and nothing around it.',
    `The schema: ${JSON.stringify(schema)}`,
  ].join('\n');
}

type Validate = ((value: unknown) => boolean) & { problems(): string };

async function compile(schema: Record<string, unknown>): Promise<Validate> {
  const { newAjv } = await import('./ajv.ts');
  const ajv = newAjv();
  const { $schema: _dialect, ...rest } = schema;
  try {
    const validate = ajv.compile(rest);
    return Object.assign((value: unknown) => validate(value) === true, {
      problems: () => ajv.errorsText(validate.errors, { dataVar: 'answer' }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BatonError('usage', `The output schema is not a valid JSON Schema: ${why}`);
  }
}

/** Reads a JSON value from an answer, also from a fenced block. */
function parseAnswer(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n```/i.exec(text)?.[1];
  for (const candidate of [text, fenced]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
