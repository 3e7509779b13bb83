import { array, isObject, number, object, string } from '../../normalize/json.ts';

/** More than this is not kept of what a tool gave back. */
const PREVIEW_LENGTH = 1024 * 1024;

/** How Claude accounts for a call that was broken off or turned down together with the turn. */
export const REJECTED = 'User rejected tool use';

const DENIALS = [
  /^Permission to use .+ has been denied/s,
  /^Claude requested permissions? to .+ but you haven't granted it yet/s,
  /was blocked\. For security, Claude Code may only/,
  /^Tool permission request failed:/,
  /^PreToolUse:\S+ hook error:/,
];

/** Whether the words of a failed call say that it was not allowed. */
export function isDenial(text: string): boolean {
  return DENIALS.some((pattern) => pattern.test(text));
}

/** What a tool gave back: the text the model sees, and what is worth showing of it. */
export function toolOutput(content: unknown, account: unknown): { text: string; shown: string } {
  const text = flat(content);
  return { text, shown: preview(printedBy(account) ?? text) };
}

/** Where Claude keeps output that was too long for it, and how much there is. */
export function wholeOutputOf(account: unknown): { path: string; bytes?: number } | undefined {
  const { persistedOutputPath, persistedOutputSize } = object(account);
  const path = string(persistedOutputPath);
  const bytes = number(persistedOutputSize);
  if (path === undefined) return undefined;
  return bytes === undefined ? { path } : { path, bytes: Math.round(bytes) };
}

/** What a command printed; the model gets only a part of it when it is much. */
function printedBy(account: unknown): string | undefined {
  if (!isObject(account) || string(account.stdout) === undefined) return undefined;
  if (account.isImage === true || account.backgroundTaskId) return undefined;
  return [account.stdout, account.stderr].filter((part) => string(part)).join('\n');
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

function preview(text: string): string {
  if (text.length <= PREVIEW_LENGTH) return text;
  return `${text.slice(0, PREVIEW_LENGTH)}\n[${text.length - PREVIEW_LENGTH} more characters]`;
}
