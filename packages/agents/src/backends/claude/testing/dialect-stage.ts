import { StreamStage } from '../../../dialects/claude-stream-json/testing/stage.ts';
import { ClaudeDialect, type LiveParts } from '../dialect.ts';

/** Claude's dialect with everything that comes out of it, for tests. */
export class DialectStage extends StreamStage<ClaudeDialect> {
  constructor(parts?: LiveParts) {
    super((out) => new ClaudeDialect(out, parts));
  }
}
