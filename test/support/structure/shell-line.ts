/** The commands of a line, in words, as a POSIX shell would split them, without redirections and variables. */
export function shellLine(line: string): string[][] {
  const commands: string[][] = [[]]
  let redirected = false
  for (const [token] of line.matchAll(TOKEN)) {
    if (/^(?:\||&&|;|<\(|>\(|\$\(|\))$/.test(token)) commands.push([])
    else if (/^[012]?[<>]/.test(token)) redirected = true
    else if (token.startsWith('#')) break
    else {
      const command = commands.at(-1) ?? []
      const isSetting = command.length === 0 && /^[A-Z_]+=/.test(token)
      if (!redirected && !isSetting) command.push(unquoted(token))
      redirected = false
    }
  }
  return commands
}

const TOKEN = /\||&&|;|[<>$]\(|\)|[012]?(?:>>|>|<)|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"|;)\\<>])+/g

const unquoted = (token: string) =>
  token.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_, plain, soft, one) => plain ?? soft ?? one)
