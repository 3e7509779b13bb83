import { stripVTControlCharacters } from 'node:util';
import type { ErrorInfo } from '@baton/protocol';
import { codexError } from './errors.ts';

/** Version, model and settings, between two rules. */
const BANNER = /^OpenAI Codex v.*\n-{8}\n(?:[\w ]+: .*\n)*-{8}\n/m;

/** Standard error of `codex exec` without `--json`, without what every run begins with. */
export function withoutBanner(stderr: string): string {
  return stripVTControlCharacters(stderr).replace(BANNER, '');
}

/** The last error that was reported among everything else that the run has printed there. */
export function reportedError(stderr: string): ErrorInfo | undefined {
  const words = [...stderr.matchAll(/^ERROR: (.+)$/gm)].at(-1)?.[1];
  return words === undefined ? undefined : codexError(words);
}
