import { existsSync } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { packageFile } from '../../../package-files.ts'
import { STARTER } from '../../../scenario/index.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { newCommand } from '../../new-command.ts'

export const command = (): Command =>
  newCommand('scenario new')
    .description('Writes a scenario to begin with, and the folders that it lies in.')
    .argument('<file>', 'a file that is not there yet; .yaml unless it has another ending')
    .addHelpText(
      'after',
      `
Its first lines name the schema of scenarios, from where the file lies, so that an editor completes and checks it.

Examples:
  paysim scenario new checkout.yaml
  paysim scenario new scenarios/checkout/declined`,
    )
    .action(begin)

const ENDINGS = ['.yaml', '.yml']

async function begin(path: string): Promise<void> {
  const ending = extname(path)
  if (ending === '.json')
    throw new UsageError(`${path}: what is written is YAML with comments. Name a .yaml file`)
  // `paysim run` takes no file without an ending; a dot in a name is none.
  const file = ENDINGS.includes(ending) ? path : `${path}.yaml`
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, STARTER.replace('SCHEMA', await schemaFor(file)), { flag: 'wx' })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(
      exists && existsSync(file) ? `${file} is there already` : `${file} cannot be written: ${why}`,
    )
  }
  process.stdout.write(`${file} is a scenario that runs: paysim run ${file}\n`)
}

const SCHEMA = 'scenarios/schema.json'

/**
 * Where the schema is, from the file's folder. The package of the project that the file is in has the same place on
 * every machine; where there is none, it is this very package.
 */
async function schemaFor(file: string): Promise<string> {
  const folder = await realpath(dirname(resolve(file)))
  for (let above = folder; ; above = dirname(above)) {
    const installed = join(above, 'node_modules/paysim', SCHEMA)
    if (existsSync(installed)) return asPath(folder, installed)
    if (dirname(above) === above) return asPath(folder, await realpath(packageFile(SCHEMA)))
  }
}

function asPath(folder: string, schema: string): string {
  const path = relative(folder, schema).replaceAll('\\', '/')
  // From one drive to another no path leads.
  if (isAbsolute(path)) return pathToFileURL(schema).href
  return path.startsWith('.') ? path : `./${path}`
}
