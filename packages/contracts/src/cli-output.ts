import { isObject, type Json, parseJson } from '@baton/config/values/json';

/** Takes the answer out of what `claude -p --output-format json` printed. */
export function parseClaudeCliOutput(stdout: string): string {
  const whole = answerIn(parseJson(stdout));
  if (whole !== undefined) return whole;
  const embedded = answerIn(firstObject(stdout));
  return embedded ?? stdout.trim();
}

/** The line that ends a turn, if it is in there. */
export function resultIn(stdout: string): Json | undefined {
  const value = parseJson(stdout) ?? firstObject(stdout);
  const messages = Array.isArray(value) ? value : [value];
  return messages.filter(isObject).findLast(({ type }) => type === 'result');
}

function answerIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(answerIn).findLast((answer) => answer !== undefined);
  if (!isObject(value)) return undefined;
  if (typeof value.result === 'string') return value.result;
  return typeof value.response === 'string' ? value.response : undefined;
}

/** A text full of braces is not searched for ever. */
const OBJECT_TRIES = 100;

/** The first JSON object inside a text; braces inside strings do not count. */
function firstObject(text: string): unknown {
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < OBJECT_TRIES; tries += 1) {
    const end = endOfObject(text, start);
    const value = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (value !== undefined) return value;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString && character === '\\') index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && character === '{') depth += 1;
    else if (!inString && character === '}' && --depth === 0) return index + 1;
  }
  return undefined;
}
