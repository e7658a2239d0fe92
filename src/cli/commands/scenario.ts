import { existsSync } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { packageFile } from '../../package-files.ts'
import { jsonSchema, STARTER } from '../../scenario/index.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { loadAll } from '../scenario/load-files.ts'

export const create = (): Command =>
  newCommand('scenario new')
    .description('Write a new scenario file to start from, and create its folders.')
    .argument('<file>', 'a file that does not exist yet; .yaml is added if it has no extension')
    .addHelpText(
      'after',
      `
The first line of the file names the JSON Schema of scenarios, so that an editor can complete and check the file.

Examples:
  paysim scenario new checkout.yaml
  paysim scenario new scenarios/checkout/declined`,
    )
    .action(writeStarter)

export const validate = (): Command =>
  newCommand('scenario validate')
    .description('Check scenario files, and print each problem with its line and column.')
    .argument('<path...>', 'scenario files, or folders that contain them')
    .addHelpText('after', '\nExamples:\n  paysim scenario validate scenarios')
    .action(async (paths: string[]) => {
      for (const { file, data } of await loadAll(paths)) process.stdout.write(`${file}: ${data.name}\n`)
    })

export const schema = (): Command =>
  newCommand('scenario schema')
    .description('Print the JSON Schema of scenario files, for editors.')
    .addHelpText('after', '\nExamples:\n  paysim scenario schema > scenario.schema.json')
    .action(() => {
      process.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    })

const EXTENSIONS = ['.yaml', '.yml']

async function writeStarter(path: string): Promise<void> {
  const extension = extname(path)
  if (extension === '.json')
    throw new UsageError(
      `${path}: the new file contains YAML with comments; give it a name that ends in .yaml`,
    )
  // `paysim run` takes no file without an extension, and a dot inside a name does not begin one.
  const file = EXTENSIONS.includes(extension) ? path : `${path}.yaml`
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, STARTER.replace('SCHEMA', await schemaFor(file)), { flag: 'wx' })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(
      exists && existsSync(file) ? `${file} already exists` : `cannot write ${file}: ${why}`,
    )
  }
  process.stdout.write(`created ${file}. Run it with: paysim run ${file}\n`)
}

const SCHEMA = 'scenarios/schema.json'

/**
 * The path of the schema from the file's folder. If the project has paysim installed, its copy is used, since that path is
 * the same on every machine; otherwise the copy of the paysim that runs now.
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
  // There is no relative path from one Windows drive to another.
  if (isAbsolute(path)) return pathToFileURL(schema).href
  return path.startsWith('.') ? path : `./${path}`
}
