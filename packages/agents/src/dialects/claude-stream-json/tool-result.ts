import { array, isObject, type Json, number, object, string } from '@baton/config/values/json';
import type { FileChange } from '@baton/protocol/values';

/** The details of a call that was broken off or turned down together with the turn. */
export const REJECTED = 'User rejected tool use';

const DENIALS = [
  /^Permission to use .+ has been denied/s,
  /^Claude requested permissions? to .+ but you haven't granted it yet/s,
  /was blocked\. For security, Claude Code may only/,
  /^Tool permission request failed:/,
  /^PreToolUse:\S+ hook error:/,
];

/** True if the text of a failed call says that it was not allowed. */
export function isDenial(text: string): boolean {
  return DENIALS.some((pattern) => pattern.test(text));
}

/** Returns the output of a tool: the text that the model sees, and the text to show. */
export function toolOutput(content: unknown, details: unknown): { text: string; shown: string } {
  const text = flat(content);
  return { text, shown: printedBy(details) ?? text };
}

/** Returns the file in which Claude keeps output that was too long for it, and its size. */
export function wholeOutputOf(details: unknown): { path: string; bytes?: number } | undefined {
  const { persistedOutputPath, persistedOutputSize } = object(details);
  const path = string(persistedOutputPath);
  const bytes = number(persistedOutputSize);
  if (path === undefined) return undefined;
  return bytes === undefined ? { path } : { path, bytes: Math.round(bytes) };
}

/** Returns the output of a command; the model gets only a part of long output. */
function printedBy(details: unknown): string | undefined {
  if (!isObject(details) || string(details.stdout) === undefined) return undefined;
  if (details.isImage === true || details.backgroundTaskId) return undefined;
  return [details.stdout, details.stderr].filter((part) => string(part)).join('\n');
}

function flat(content: unknown): string {
  if (typeof content === 'string') return unwrapped(content);
  return array(content)
    .map((block) => string(object(block).text) ?? `[${string(object(block).type) ?? 'content'}]`)
    .join('\n');
}

function unwrapped(text: string): string {
  return /^<tool_use_error>(.*)<\/tool_use_error>$/s.exec(text)?.[1] ?? text;
}

/** Returns the changes of an edit from the tool's details; without them, the requested changes. */
export function changesOf(details: Json, asked: FileChange[]): FileChange[] {
  const hunks = array(details.structuredPatch).map(object);
  const diff = hunks.map(hunkText).join('');
  if (diff !== '') return asked.map((change) => ({ ...change, kind: 'edit', diff }));
  if (details.type !== 'update') return asked;
  return asked.map(({ path }) => ({ path, kind: 'edit' }));
}

function hunkText(hunk: Json): string {
  const lines = array(hunk.lines).filter((line) => string(line) !== undefined);
  const range = (start: unknown, count: unknown) => `${number(start) ?? 0},${number(count) ?? 0}`;
  const before = range(hunk.oldStart, hunk.oldLines);
  const after = range(hunk.newStart, hunk.newLines);
  return `${[`@@ -${before} +${after} @@`, ...lines].join('\n')}\n`;
}

/** The call of a line that is nothing but a call; such lines have the name in one of two places. */
export function callOf(line: Json): { id: string | undefined; name: string; input: unknown } {
  const name = string(line.tool_name) ?? string(line.name) ?? 'unknown';
  return { id: string(line.id) ?? string(line.tool_use_id), name, input: line.input };
}

/** The result block of a line that is nothing but a result. */
export function resultBlockOf(line: Json): Json {
  const content = line.content ?? line.result;
  return { ...line, content: isObject(content) ? JSON.stringify(content) : content };
}
