/** How an application is started: a line, or the words of a command. */
export type StartCommand = string | readonly string[]

const SHELL = /^sh:\s*/

/**
 * The words of a command line. Quotes hold words together, and nothing else is special: there is no shell, unless the
 * line begins with `sh: `.
 */
export function wordsOf(command: StartCommand): string[] {
  if (typeof command !== 'string') return [...command]
  if (SHELL.test(command)) return ['/bin/sh', '-c', command.replace(SHELL, '')]
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
}

/** A command as one would type it. */
export const commandLine = (command: StartCommand): string =>
  typeof command === 'string'
    ? command
    : command.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
