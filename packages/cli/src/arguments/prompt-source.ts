import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/protocol/values';

/** Takes the prompt from the arguments, a file, or standard input. */
export async function readPrompt(
  positionals: readonly string[],
  file: string | undefined,
): Promise<string> {
  const words = positionals.length > 0 ? positionals.join(' ') : undefined;
  if (file !== undefined && words !== undefined) {
    throw new BatonError('usage', 'Pass the prompt as an argument or with --file, not both.');
  }
  if (file !== undefined) return readFile(file);
  if (words !== undefined && words !== '-') return words;
  if (words === undefined && process.stdin.isTTY) {
    throw new BatonError('usage', 'Missing prompt.', {
      hint: 'Try: baton run "Explain this folder"',
    });
  }
  return readStdin();
}

/** Reads standard input to its end. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `Cannot read the prompt file: ${why}`, { cause });
  }
}
