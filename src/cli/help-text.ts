/** Help is as wide as the terminal, up to 100 columns. */
export const helpWidth = () => Math.min(100, process.stdout.columns || 100)

/** Fills each paragraph to the width, and breaks long examples. Other indented lines stay as they are. */
export function fillParagraphs(text: string, width: number): string {
  const blocks: string[] = []
  let isParagraph = false
  for (const line of text.split('\n')) {
    const last = blocks.at(-1)
    const isText = /^\S/.test(line)
    if (isText && isParagraph && last !== undefined) blocks[blocks.length - 1] = `${last} ${line}`
    else blocks.push(line)
    isParagraph = isText && line !== 'Examples:'
  }
  const examples = blocks.indexOf('Examples:')
  return blocks
    .map((block, at) => {
      if (/^\S/.test(block)) return fill(block, width)
      return examples >= 0 && at > examples ? breakExample(block, width) : block
    })
    .join('\n')
}

/** Breaks a command before its description, an option or a pipe, so that it can still be copied. */
function breakExample(command: string, width: number): string {
  if (command.length <= width) return command
  const [, call, description] = /^( *\S.*?) {2,}(\S.*)$/.exec(command) ?? []
  if (call !== undefined) return `${call}\n      ${description}`
  const lines: string[] = []
  for (const part of command.split(/ (?=--?[a-z]|\| |&& )/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length + ' '.length + ' \\'.length <= width)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(lines.length === 0 ? part : `    ${part}`)
  }
  return lines.join(' \\\n')
}

/** Breaks a text into lines of at most this width, with an indent before all lines but the first. */
export function fill(text: string, width: number, indent = 0): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width - indent)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>

/**
 * Breaks the lines of a message between words if it goes to a terminal. A command between backticks stays whole, and so does
 * one on a line of its own, because people copy them.
 */
export function wrapMessage(text: string, terminal: Terminal = process.stderr): string {
  const { isTTY, columns: width } = terminal
  if (!isTTY || !width) return text
  return asCalled(text, terminal)
    .split('\n')
    .map(line => (line.length <= width || COMMAND_LINE.test(line) ? line : wrapLine(line, width)))
    .join('\n')
}

const COMMAND_LINE = /^ {2}(?:npx )?paysim /

/** Commands as a person called this one: who has it by `npx` alone would not find `paysim`. */
export function asCalled(text: string, { isTTY }: Pick<Terminal, 'isTTY'> = process.stderr): string {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env
  if (!isTTY || event !== 'npx' || !/^['"]?paysim\b/.test(script)) return text
  return text.replaceAll(/(?<=^ {2}|`|: {1,2})paysim (?=[a-z])/gm, 'npx paysim ')
}

/** Stands for a space where no line may be broken. */
const GLUE = '\uE000'

function wrapLine(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? []
  const glued = line.slice(indent.length).replaceAll(/`[^`]*`/g, command => command.replaceAll(' ', GLUE))
  const deeper = indent === '' ? 0 : indent.length + 2
  return `${indent}${fill(glued, width - indent.length, deeper).replaceAll(GLUE, ' ')}`
}
