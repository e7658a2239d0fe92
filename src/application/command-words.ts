/** How to start an application: one line, or a list of words. */
export type StartCommand = string | readonly string[]

const SHELL = /^sh:\s*/

/**
 * Splits a command line into words. Quotes keep words together; nothing else is special. There is no shell, unless the
 * line starts with `sh: `.
 */
export function wordsOf(command: StartCommand): string[] {
  if (typeof command !== 'string') return [...command]
  if (SHELL.test(command)) return ['/bin/sh', '-c', command.replace(SHELL, '')]
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
}

/** Formats a command as a user would type it. */
export const commandLine = (command: StartCommand): string =>
  typeof command === 'string'
    ? command
    : command.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
