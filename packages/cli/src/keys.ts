import { once } from 'node:events';

/** Waits for one of some keys; nothing when Ctrl-C was pressed or the waiting was aborted. */
export async function readKey(keys: string, signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.resume();
  try {
    for (;;) {
      const [chunk] = await once(stdin, 'data', { signal });
      const key = String(chunk).toLowerCase();
      if (key === '\u0003' || key === '\u0004') return undefined;
      if (key.length === 1 && keys.includes(key)) return key;
    }
  } catch {
    return undefined;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

/** Asks for a line of text; nothing when Ctrl-C was pressed or the waiting was aborted. */
export async function readLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  // Loaded only when somebody is asked: most runs are not typed along with.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const interrupted = new AbortController();
  lines.once('SIGINT', () => interrupted.abort());
  lines.once('close', () => interrupted.abort());
  try {
    return await lines.question(question, {
      signal: AbortSignal.any([signal, interrupted.signal]),
    });
  } catch {
    return undefined;
  } finally {
    lines.close();
  }
}
