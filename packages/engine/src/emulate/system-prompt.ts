import { lastLine } from '@baton/config/paths/last-line';

/** Puts the system prompt in front of the first prompt, for agents that have no other place for it. */
export function withSystemPrompt(systemPrompt: string | undefined, prompt: string): string {
  return systemPrompt ? `${systemPrompt}\n\n${prompt}` : prompt;
}

const BEGIN = '<system_prompt>\n';
const END = '\n</system_prompt>';

/** Puts a system prompt in front of a prompt of a session that has another one, so that it can be found again. */
export function withNewSystemPrompt(systemPrompt: string, prompt: string): string {
  return `${BEGIN}${systemPrompt}${END}\n\n${prompt}`;
}

/**
 * True if a session uses this system prompt, by the files in which its agent keeps the session: the last one that was
 * put in front of a prompt counts, otherwise the one that the session began with.
 */
export function hasSystemPrompt(paths: readonly string[], systemPrompt: string): boolean {
  const whole = written(BEGIN + systemPrompt + END);
  const last = inFiles(paths, (line) => {
    const at = line.lastIndexOf(written(BEGIN));
    return at === -1 ? undefined : line.startsWith(whole, at);
  });
  const text = written(systemPrompt);
  return last ?? inFiles(paths, (line) => line.includes(text) || undefined) ?? false;
}

/** A file that cannot be read has nothing. */
function inFiles(
  paths: readonly string[],
  find: (line: string) => boolean | undefined,
): boolean | undefined {
  for (const path of paths) {
    try {
      const { found } = lastLine(path, find);
      if (found !== undefined) return found;
    } catch {
      // The agent may not have written it yet.
    }
  }
  return undefined;
}

/** A text as it stands in a file of JSON. */
function written(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
