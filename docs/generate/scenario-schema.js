import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BINARY = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))
const FORMATTER = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url))

/** The JSON Schema of scenario files, formatted. */
export function scenarioSchema() {
  const printed = execFileSync(process.execPath, [BINARY, 'scenario', 'schema'], { encoding: 'utf8' })
  return execFileSync(process.execPath, [FORMATTER, 'format', '--stdin-file-path=scenarios/schema.json'], {
    encoding: 'utf8',
    input: printed,
  })
}
