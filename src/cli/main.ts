import type { Command } from 'commander'

/** The commands, and where each one lives: only the one that is called is loaded. */
const COMMANDS: Record<
  string,
  { readonly summary: string; readonly load: () => Promise<{ command: () => Command }> }
> = {
  serve: { summary: 'run the whole gateway locally', load: () => import('./commands/serve.ts') },
  exec: {
    summary: 'run a command, as a test suite, beside a simulator of its own',
    load: () => import('./commands/exec.ts'),
  },
  run: {
    summary: 'run scenario files: stories with calls, time and expectations',
    load: () => import('./commands/run.ts'),
  },
  scenario: {
    summary: 'check scenario files, begin one, print their JSON Schema',
    load: () => import('./commands/scenario.ts'),
  },
  contract: {
    summary: 'print the decisions in force where the interface document is silent',
    load: () => import('./commands/contract.ts'),
  },
  openapi: {
    summary: 'print the merchant API as an OpenAPI 3.1 document',
    load: () => import('./commands/openapi.ts'),
  },
}

const EXAMPLES = `Examples:
  paysim serve                              a gateway on http://127.0.0.1:7297, kept in ./.paysim
  paysim serve --ephemeral --clock virtual  one that leaves nothing behind, where time stands still
  paysim serve --json --port 0              for a script: a free port, the facts on the first line`

await run(process.argv.slice(2))

async function run(argv: readonly string[]): Promise<void> {
  const [name = '--help'] = argv
  if (name === '--version' || name === '-V') return say(PAYSIM_VERSION)
  if (name === '--help' || name === '-h' || name === 'help') return help(argv[1])
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!found) return refuse(await unknown(name))
  const { command } = await found.load()
  await command().parseAsync([...argv.slice(1)], { from: 'user' })
}

async function help(name: string | undefined): Promise<void> {
  if (name !== undefined && Object.hasOwn(COMMANDS, name)) return run([name, '--help'])
  const width = Math.max(...Object.keys(COMMANDS).map(key => key.length))
  const lines = Object.entries(COMMANDS).map(([key, { summary }]) => `  ${key.padEnd(width)}  ${summary}`)
  say(`paysim ${PAYSIM_VERSION}: a local payment gateway for merchants' tests

Usage: paysim COMMAND [options]

Commands:
${lines.join('\n')}

${EXAMPLES}

\`paysim COMMAND --help\` tells more of one.`)
}

async function unknown(name: string): Promise<string> {
  const { closest } = await import('../contract/closest.ts')
  const meant = closest(name, Object.keys(COMMANDS))
  const kind = name.startsWith('-') ? 'option' : 'command'
  return `paysim: unknown ${kind} ${name}${meant ? `; did you mean ${meant}?` : ''}\n\`paysim --help\` lists the commands.`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function refuse(text: string): void {
  process.stderr.write(`${text}\n`)
  process.exitCode = 2
}
