import { SETTINGS } from '@baton/config/settings';
import type { TemplateSource } from './check-references.ts';
import type { IncludedFiles } from './included-files.ts';
import { parseJsonSource } from './json-source.ts';
import { inWords, type Problems } from './problems.ts';
import { nameOf } from './schema-problems.ts';
import type { Path } from './source.ts';

export type Reading = { problems: Problems; files: IncludedFiles };

/** A value that is path or text by its look: the names that prompts have. */
const PROMPT_NAME = /^\S+\.(md|txt|prompt)$/;

/** Milliseconds; a number is that already. */
export function readDuration(value: number | string | undefined): number | undefined {
  return typeof value === 'string' ? SETTINGS.timeout.reader.read(value) : value;
}

/** The text of one of several keys, some of which name a file; at most one of them may be given. */
export function readText(
  owner: Readonly<Record<string, unknown>>,
  path: Path,
  keys: { texts: readonly string[]; files: readonly string[] },
  { problems, files }: Reading,
): TemplateSource | undefined {
  const given = [...keys.texts, ...keys.files].filter((key) => owner[key] !== undefined);
  const [key, second] = given;
  if (key === undefined) return undefined;
  const place = [...path, key];
  if (second !== undefined) {
    const both = inWords(
      given.map((each) => `"${each}"`),
      'and',
    );
    problems.add([...path, second], `${nameOf(path)} has both ${both}; keep one.`, 'key');
    return undefined;
  }
  const value = String(owner[key]);
  const found = keys.texts.includes(key)
    ? { text: value, path: place }
    : readFile(value, place, { problems, files });
  if (found && found.text.trim() === '') problems.add(place, `${nameOf(place)} is empty.`);
  return found;
}

/** The system prompt: a text, or the path of a file that exists or is named like a prompt. */
export function readSystemPrompt(
  agent: Readonly<Record<string, unknown>>,
  path: Path,
  reading: Reading,
): string | undefined {
  const { systemPrompt } = agent;
  const isPath =
    typeof systemPrompt === 'string' &&
    (PROMPT_NAME.test(systemPrompt) || reading.files.has(systemPrompt));
  const keys = isPath
    ? { texts: ['systemPromptText'], files: ['systemPrompt', 'systemPromptFile'] }
    : { texts: ['systemPrompt', 'systemPromptText'], files: ['systemPromptFile'] };
  return readText(agent, path, keys, reading)?.text;
}

/** A JSON Schema, or the one in a file. */
export function readOutputSchema(
  value: string | Record<string, unknown> | undefined,
  path: Path,
  reading: Reading,
): Record<string, unknown> | undefined {
  if (typeof value !== 'string') return value;
  const file = readFile(value, path, reading);
  if (!file) return undefined;
  const source = parseJsonSource(file.text, { comments: false });
  const included = { path: reading.files.resolve(value), text: file.text, offset: 0 };
  for (const { offset, text } of source.problems) {
    reading.problems.addIncluded(path, { ...included, offset }, text);
  }
  if (source.problems.length > 0) return undefined;
  const schema = source.value;
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
    return schema as Record<string, unknown>;
  }
  reading.problems.addIncluded(path, included, 'a JSON Schema must be an object.');
  return undefined;
}

/** A value, or the absolute path of the file that contains it. */
export function readFileOr<Value>(
  value: string | Value | undefined,
  path: Path,
  reading: Reading,
): string | Value | undefined {
  if (typeof value !== 'string') return value;
  return readFile(value, path, reading) && reading.files.resolve(value);
}

function readFile(
  file: string,
  path: Path,
  { problems, files }: Reading,
): TemplateSource | undefined {
  try {
    return { text: files.read(file), path, file: files.resolve(file) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it does not exist' : message;
    const problem = `cannot read "${file}", relative to the chains file: ${why}.`;
    problems.add(path, `${nameOf(path)}: ${problem}`);
    return undefined;
  }
}
