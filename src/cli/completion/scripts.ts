export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Each asks the program for candidates, and offers files where it has none. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Load with: source <(tollkeeper completion bash)
_tollkeeper() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(
    tollkeeper completion complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _tollkeeper tollkeeper
`,
  zsh: `#compdef tollkeeper
# Load with: source <(tollkeeper completion zsh)
_tollkeeper() {
  local -a found
  found=("\${(@f)$(tollkeeper completion complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _tollkeeper tollkeeper
`,
  fish: `# Load with: tollkeeper completion fish | source
function __tollkeeper_complete
  set -l words (commandline -opc) (commandline -ct)
  tollkeeper completion complete -- $words[2..-1] 2>/dev/null
end
complete -c tollkeeper -a '(__tollkeeper_complete)'
`,
};
