import type { CompletedCommand, CompletedOption } from './describe-commands.ts';

/** A completion script for zsh. */
export function zshCompletions(commands: CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${escaped(summary)}'`).join('\n');
  const cases = commands
    .map(
      ({ name, words, options }) =>
        `    ${name}) _arguments ${options.map(specification).join(' ')} '*:argument:${words.length > 0 ? `(${words.join(' ')})` : '_files'}' ;;`,
    )
    .join('\n');
  return `#compdef baton
_baton() {
  local -a commands
  commands=(
${names}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases}
  esac
}
_baton "$@"
`;
}

function specification({ name, about, takesValue, files, words }: CompletedOption): string {
  const action = files ? '_files' : words.length > 0 ? `(${words.join(' ')})` : ' ';
  const value = takesValue ? `:${name}:${action}` : '';
  return `'--${name}[${escaped(about)}]${value}'`;
}

function escaped(text: string): string {
  return text.replaceAll("'", `'\\''`).replaceAll(/[[\]:]/g, '\\$&');
}
