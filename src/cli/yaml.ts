import { LineCounter } from 'yaml'
import { readYaml } from '../scenario/load/yaml-document.ts'

/** The value of a YAML text. This is a file of its own so that the parser is loaded only for YAML. */
export function parse(text: string): unknown {
  const lines = new LineCounter()
  const document = readYaml(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lines.linePos(error.pos[0])
  throw new Error(`${error.message.split('\n')[0]} at line ${line}, column ${col}`)
}
