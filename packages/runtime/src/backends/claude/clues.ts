import type { DialectOut } from '../../dialect.ts';
import type { TurnClues } from './result.ts';

/** Collects during a turn what will tell why it failed, and passes on what turns out to be no reason. */
export class Clues {
  heard: TurnClues = {};
  #out: DialectOut;

  constructor(out: DialectOut) {
    this.#out = out;
  }

  /** Claude's own words in the place of an answer; the result has them again, as the error they are. */
  apology(kind: string, words: string, parentId: string | undefined): void {
    if (parentId === undefined) this.heard = { ...this.heard, kind, words };
    else this.warn(words || `A sub-agent failed: ${kind}`, parentId);
  }

  /** Things went on well: what was amiss before is not why the turn fails, if it does. */
  forgive(): void {
    const { words } = this.heard;
    this.heard = {};
    if (words) this.warn(words);
  }

  warn(message: string, parentId?: string, data?: unknown): void {
    const level = 'warning';
    this.#out.emit({ type: 'notice', level, code: 'agent_warning', message, parentId, data });
  }
}
