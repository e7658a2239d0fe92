import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { closest } from '../../contract/closest.ts'
import { STORY_FORMATS, type StoryFormat } from '../../contract/control/operations/records.ts'
import { isRecord } from '../../contract/json.ts'
import { shellWords } from '../../contract/shell-words.ts'
import { packageFilesBelow, readPackageFile } from '../../package-files.ts'
import { jsonSchema, STARTER } from '../../scenario/index.ts'
import { newCommand } from '../command-table.ts'
import { type ControlFlags, controlCommand, examples, withControl } from '../control/session.ts'
import { messageOf, UsageError } from '../errors/cli-errors.ts'
import { writerTo } from '../output/printer.ts'
import { loadAll } from '../scenario/load-files.ts'
import { argumentFor } from '../values.ts'

export const create = (): Command =>
  newCommand('scenario new')
    .description('Write a new scenario file to start from, and create its folders.')
    .argument('[file]', 'a file that does not exist yet; .yaml is added if it has no extension')
    .option(
      '--example <name>',
      'copy an example that comes with paysim, such as bank-transfer, or explore: a shop with its scenario',
    )
    .addHelpText(
      'after',
      `
The first line of the file names the JSON Schema of scenarios, so that an editor can complete and check the file. It is that of the paysim which package.json names, or else a copy beside the
file, paysim.schema.json, to be committed with it.

Examples:
  paysim scenario new checkout.yaml
  paysim scenario new scenarios/checkout/declined
  paysim scenario new --example explore
  paysim scenario new receipts.yaml --example receipt-rejected-and-replaced`,
    )
    .action(async (path: string | undefined, { example }: { readonly example?: string }) => {
      if (example === 'explore') return copyShop(path ?? 'explore')
      const text = example === undefined ? STARTER : textOfExample(example)
      const file = path ?? example
      if (file === undefined)
        throw new UsageError('give the file to write, such as checkout.yaml, or --example')
      await writeScenario(file, text)
    })

interface FromFlags extends ControlFlags {
  readonly format: StoryFormat
}

export const from = (): Command =>
  controlCommand(
    'scenario from',
    command =>
      command
        .description(
          'Write what was done with payments and payouts as a scenario or a test: who did what and when, with what was seen as expectations. It passes as it is.',
        )
        .argument('<id...>', 'payments and payouts of one account')
        .addOption(
          new Option('--format <format>', 'what to write').choices(STORY_FORMATS).default(STORY_FORMATS[0]),
        )
        .addHelpText(
          'after',
          `
Everything comes from the history of the records. It does not have what changed nothing, such as reads, refused calls and
the answers of webhook receivers. A generated image takes the place of a receipt.
${examples('paysim scenario from pi_123 > checkout.yaml && paysim run checkout.yaml', 'paysim scenario from pi_123 pi_456 --account shop --format vitest > checkout.test.ts')}`,
        )
        .action((ids: string[], flags: FromFlags) =>
          withControl(flags, async ({ account }) =>
            writerTo(process.stdout)(await account.scenario(ids, flags.format)),
          ),
        ),
    { records: false },
  )

export const validate = (): Command =>
  newCommand('scenario validate')
    .description('Check scenario files, and print each problem with its line and column.')
    .addArgument(argumentFor('<path...>', 'scenario files, or folders that contain them', { files: true }))
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

const EXAMPLES = 'scenarios'
/** Beside a scenario that sends one of them. */
const IMAGES = 'receipts'

const isTaken = (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'

/** An example, with the line by which editors find the schema. */
function textOfExample(name: string): string {
  const files = packageFilesBelow(EXAMPLES).filter(file => /^[^/]+\.yaml$/.test(file))
  const names = ['explore', ...files.map(file => file.slice(0, -'.yaml'.length))]
  if (!names.includes(name)) {
    const meant = closest(name, names)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    throw new UsageError(`there is no example ${name}${hint}\nThe examples are ${names.sort().join(', ')}.`)
  }
  return `# yaml-language-server: $schema=SCHEMA\n${readPackageFile(`${EXAMPLES}/${name}.yaml`)}`
}

/** A scenario with shops that it can be played with: a right one in two languages, and a wrong one. */
async function copyShop(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true })
    await mkdir(folder)
    await copyOut(`${EXAMPLES}/explore`, folder)
  } catch (cause) {
    const why = messageOf(cause)
    throw new UsageError(isTaken(cause) ? `${folder} already exists` : `cannot write ${folder}: ${why}`)
  }
  const call = shellWords([
    ...['paysim', 'explore', join(folder, 'orders.yaml'), '--only', 'webhook-twice', '--'],
    ...['node', join(folder, 'wrong-shop.mjs')],
  ])
  process.stdout.write(`created ${folder}. Find the mistake in its wrong shop with: ${call}\n`)
}

/** Copies a folder of the package. A file that is there already stays as it is. */
async function copyOut(folder: string, to: string): Promise<void> {
  for (const name of packageFilesBelow(folder)) {
    const copy = join(to, name)
    await mkdir(dirname(copy), { recursive: true })
    await writeOnce(copy, readPackageFile(`${folder}/${name}`))
  }
}

const writeOnce = (file: string, content: Buffer) =>
  writeFile(file, content, { flag: 'wx' }).catch((cause: unknown) => {
    if (!isTaken(cause)) throw cause
  })

async function writeScenario(path: string, text: string): Promise<void> {
  const extension = extname(path)
  if (extension === '.json')
    throw new UsageError(
      `${path}: the new file contains YAML with comments; give it a name that ends in .yaml`,
    )
  // `paysim run` takes no file without an extension, and a dot inside a name does not begin one.
  const file = EXTENSIONS.includes(extension) ? path : `${path}.yaml`
  try {
    await mkdir(dirname(file), { recursive: true })
    if (text.includes(`file: ${IMAGES}/`)) await copyOut(`${EXAMPLES}/${IMAGES}`, join(dirname(file), IMAGES))
    await writeFile(file, text.replace('SCHEMA', await schemaFor(file)), { flag: 'wx' })
  } catch (cause) {
    const why = messageOf(cause)
    throw new UsageError(
      isTaken(cause) && existsSync(file) ? `${file} already exists` : `cannot write ${file}: ${why}`,
    )
  }
  process.stdout.write(`created ${file}. Run it with: paysim run ${file}\n`)
}

const SCHEMA = 'scenarios/schema.json'

/**
 * The path of the schema from the file's folder, which must be right wherever the file is checked out: the copy of a paysim
 * that the project itself depends on, or else one beside the scenario.
 */
async function schemaFor(file: string): Promise<string> {
  const folder = await realpath(dirname(resolve(file)))
  for (let above = folder; ; above = dirname(above)) {
    const installed = join(above, 'node_modules/paysim', SCHEMA)
    if (existsSync(installed) && (await dependsOnPaysim(above))) return asPath(folder, installed)
    if (dirname(above) === above) break
  }
  const beside = join(folder, 'paysim.schema.json')
  await writeOnce(beside, readPackageFile(SCHEMA))
  return asPath(folder, beside)
}

/** Whether everybody who installs the project gets paysim with it. */
async function dependsOnPaysim(project: string): Promise<boolean> {
  try {
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(project, 'package.json'), 'utf8'),
    )
    return [dependencies, devDependencies].some(named => isRecord(named) && Object.hasOwn(named, 'paysim'))
  } catch {
    return false
  }
}

function asPath(folder: string, schema: string): string {
  const path = relative(folder, schema).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}
