import type { CompletedCommand } from './describe-commands.ts';

/** A completion script for bash. */
export function bashCompletions(commands: CompletedCommand[]): string {
  const cases = commands.map(({ name, words: own, options }) => {
    const values = options
      .filter(({ takesValue }) => takesValue)
      .map(({ name: option, short, files, words }) => {
        const flags = short ? `--${option}|-${short}` : `--${option}`;
        const reply = files
          ? 'compgen -f -- "$word"'
          : `compgen -W "${words.join(' ')}" -- "$word"`;
        return `        ${flags}) COMPREPLY=($(${reply})); return ;;`;
      });
    const flags = [...own, ...options.map(({ name: option }) => `--${option}`)].join(' ');
    return [
      `    ${name})`,
      '      case "$previous" in',
      ...values,
      '      esac',
      `      COMPREPLY=($(compgen -W "${flags}" -- "$word")) ;;`,
    ].join('\n');
  });
  return `_baton() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -F _baton baton
`;
}
