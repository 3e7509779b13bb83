import { beginningOf } from '@baton/protocol/values';
import type { MarkdownFile } from './markdown-config-loader.ts';

const DEFAULT_LIMIT = 32_000;
const INTRODUCTION =
  'You answer in a chat channel. Your answer is posted as one or more chat messages in Markdown. Messages may come from several people.';

/** Builds the system prompt: an introduction, then the Markdown files in the order of their names. */
export class SystemPromptAssembler {
  #limit: number;

  /** @param limit the maximum length of the system prompt, in UTF-16 units */
  constructor(limit: number = DEFAULT_LIMIT) {
    this.#limit = limit;
  }

  /** The system prompt; what exceeds the limit is replaced by a marker that says how much is missing. */
  assemble(files: readonly MarkdownFile[]): string {
    const sections = files
      .filter(({ content }) => content.trim() !== '')
      .map(({ name, content }) => `<!-- ${name} -->\n${content.trim()}`);
    return truncated([INTRODUCTION, ...sections].join('\n\n'), this.#limit);
  }
}

function truncated(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // The number of omitted characters never has more digits than the length of the text.
  const kept = beginningOf(text, Math.max(0, limit - marker(text.length).length));
  return beginningOf(`${kept}${marker(text.length - kept.length)}`, limit);
}

function marker(omitted: number): string {
  return `\n\n[System prompt truncated: ${omitted} characters omitted]`;
}
