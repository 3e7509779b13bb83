import type { Dialect, DialectOut } from '../../dialect.ts';
import { ClaudeDialect } from './claude-dialect.ts';
import { MAX_HELD, type Message, MessageLines } from './lines.ts';
import { beginsLikeClaude, isClaudeMessage, isSureStart } from './signature.ts';
import { claudeText } from './text.ts';

/** Reads what may be Claude's JSON, or an answer in plain text that looks like it: what is in it decides. */
export function claudePrinted(out: DialectOut): Dialect {
  const lines = new MessageLines();
  const held: string[] = [];
  let heldLength = 0;
  let chosen: Dialect | undefined;
  const choose = (dialect: Dialect) => {
    chosen = dialect;
    for (const line of held.splice(0)) dialect.line(line);
    return dialect;
  };
  return {
    line(line) {
      if (chosen) return chosen.line(line);
      held.push(line);
      heldLength += line.length;
      if (isSureStart(line) || lines.read(line).some(isClaudes)) choose(new ClaudeDialect(out));
      else if (heldLength > MAX_HELD) choose(claudeText(out));
    },
    end(end) {
      const isCut = beginsLikeClaude(
        lines
          .end()
          .map(({ text }) => text)
          .join('\n'),
      );
      chosen ??= choose(isCut ? new ClaudeDialect(out) : claudeText(out));
      return chosen.end(end);
    },
  };
}

function isClaudes(message: Message): boolean {
  return message.json ? isClaudeMessage(message.json) : beginsLikeClaude(message.text);
}
