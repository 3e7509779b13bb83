import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { BatonError } from '@baton/protocol';

/** Takes the prompt from the arguments, a file, or standard input. */
export async function readPrompt(
  positionals: readonly string[],
  file: string | undefined,
): Promise<string> {
  const words = positionals.join(' ');
  if (file !== undefined && words !== '') {
    throw new BatonError('usage', 'The prompt was given twice: as an argument and with --file.');
  }
  if (file !== undefined) return readFile(file);
  if (words !== '' && words !== '-') return words;
  if (words === '' && process.stdin.isTTY) {
    throw new BatonError('usage', 'There is no prompt.', {
      hint: 'Try: baton run "Explain this folder"',
    });
  }
  return text(process.stdin);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `The prompt file cannot be read: ${why}`, { cause });
  }
}
