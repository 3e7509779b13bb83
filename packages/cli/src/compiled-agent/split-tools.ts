/**
 * Splits lists of tools as Claude Code does: at commas and spaces outside of parentheses, so that `Bash(git log:*)` is
 * one tool.
 */
export function splitTools(values: readonly string[]): string[] {
  return values.flatMap((value) => {
    const tools: string[] = [];
    let tool = '';
    let depth = 0;
    const end = () => {
      if (tool !== '') tools.push(tool);
      tool = '';
    };
    for (const character of value) {
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
      if (depth <= 0 && /[\s,]/.test(character)) end();
      else tool += character;
    }
    end();
    return tools;
  });
}
