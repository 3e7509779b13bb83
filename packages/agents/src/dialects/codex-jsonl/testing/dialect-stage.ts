import { type Json, object, parseJson } from '@baton/config/values/json';
import type { Dialect, DialectOut, EventDraft, Verdict } from '@baton/engine/definition/dialect';
import type { ErrorInfo } from '@baton/protocol';

/** Plays an agent for a dialect and keeps what comes out of it. */
export class DialectStage {
  readonly drafts: EventDraft[] = [];
  readonly frames: Json[] = [];
  readonly verdicts: Verdict[] = [];
  readonly givenUp: ErrorInfo[] = [];
  readonly dialect: Dialect;

  constructor(create: (out: DialectOut) => Dialect) {
    this.dialect = create({
      emit: (draft) => void this.drafts.push(draft),
      write: (frame) => void this.frames.push(object(parseJson(frame))),
      complete: (verdict) => void this.verdicts.push(verdict),
      giveUp: (error) => void this.givenUp.push(error),
    });
  }

  /** Lets the agent say some lines. */
  say(...lines: (Json | string)[]): this {
    for (const line of lines) {
      this.dialect.line(typeof line === 'string' ? line : JSON.stringify(line));
    }
    return this;
  }

  /** The drafts of one type. */
  all<Type extends EventDraft['type']>(type: Type): Extract<EventDraft, { type: Type }>[] {
    return this.drafts.filter(
      (draft): draft is Extract<EventDraft, { type: Type }> => draft.type === type,
    );
  }

  /** Returns the frames that were sent to the agent since the last call. */
  sent(): Json[] {
    return this.frames.splice(0);
  }
}
