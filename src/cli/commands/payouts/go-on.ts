import { shellWords } from '../../shell-words.ts'

/** Options and what they are to be from here on, by their names. */
export type Settled = Readonly<Record<string, string | undefined>>

/** This command once more, but with these options: what was relative to now is now settled. */
export function goOnCommand(argv: readonly string[], settled: Settled): string {
  const options = Object.entries(settled).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
  return shellWords(['paysim', ...without(argv, Object.keys(settled)), ...options])
}

function without(argv: readonly string[], names: readonly string[]): string[] {
  return argv.filter((word, at) => {
    const before = argv[at - 1]
    if (before !== undefined && names.includes(before)) return false
    return !names.some(name => word === name || word.startsWith(`${name}=`))
  })
}
