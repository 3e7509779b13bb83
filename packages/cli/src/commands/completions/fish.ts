import type { CompletedCommand } from './describe-commands.ts';

/** A completion script for fish. */
export function fishCompletions(commands: CompletedCommand[]): string {
  const lines = ['complete -c baton -f'];
  for (const { name, summary, words: own, options } of commands) {
    lines.push(`complete -c baton -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`);
    if (own.length > 0)
      lines.push(
        `complete -c baton -n "__fish_seen_subcommand_from ${name}" -a ${quoted(own.join(' '))}`,
      );
    for (const { name: option, short, about, takesValue, files, words } of options) {
      const parts = [
        `complete -c baton -n "__fish_seen_subcommand_from ${name}" -l ${option}`,
        short ? `-s ${short}` : '',
        takesValue ? '-r' : '',
        files ? '-F' : '',
        words.length > 0 ? `-a ${quoted(words.join(' '))}` : '',
        `-d ${quoted(about)}`,
      ];
      lines.push(parts.filter((part) => part !== '').join(' '));
    }
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
