import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { ClientError, ControlError, ControlUnreachableError } from '../../client/errors.ts'
import { validator } from '../../contract/validation.ts'
import { packageFilesBelow, readPackageFile } from '../../package-files.ts'
import { ScenarioError } from '../../scenario/load/problems.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { ABOUT_DATA, KeyFiles, type Place, textOf } from './agent.ts'
import { Connection } from './connection.ts'
import { TOOLS, type Tool } from './tools.ts'

/** No message of a client needs more; the largest text of a tool is a scenario. */
const LONGEST_MESSAGE = 1024 * 1024

interface Settings {
  /** Looks for the simulator, and throws if there is none. */
  readonly find: () => Promise<Place>
  readonly account: string
  readonly readOnly: boolean
  /** Stops the simulator, if it was started here. */
  readonly close: () => Promise<void>
}

/** It also ends by itself: if stdin ends, or after a message that is too long. */
class Stdio extends StdioServerTransport {
  readonly #ended: () => void

  constructor(ended: () => void) {
    super(process.stdin, process.stdout, { maxBufferSize: LONGEST_MESSAGE })
    this.#ended = ended
  }

  override async close(): Promise<void> {
    await super.close()
    this.#ended()
  }
}

/** Serves until the client closes stdin. */
export async function serveAgent({ find, account, readOnly, close }: Settings): Promise<void> {
  const keys = new KeyFiles()
  const connection = new Connection({ find, account, files: keys })
  const docs = docPages()
  await new Promise<void>(resolve => {
    const transport = new Stdio(resolve)
    const server = serveStdio(() => serverFor(connection, readOnly, docs), {
      transport,
      onerror: error => void process.stderr.write(`paysim mcp: ${error.message}\n`),
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
  })
  // What the client still sends would keep the process alive.
  process.stdin.destroy()
  await Promise.all([connection.close(), keys.remove()])
  await close()
}

function serverFor(connection: Connection, readOnly: boolean, docs: readonly string[]): McpServer {
  const server = new McpServer(
    { name: 'paysim', version: PAYSIM_VERSION },
    {
      instructions: `A local payment gateway for tests: the merchant's program calls it, and you see and move what the provider and the payer do. Begin with status; ask why whenever something is not as expected. ${ABOUT_DATA}`,
    },
  )
  for (const [name, tool] of Object.entries(TOOLS))
    if (!(readOnly && tool.changes)) addTool(server, name, tool, connection)
  for (const page of docs)
    server.registerResource(
      page,
      `paysim://docs/${page}`,
      { mimeType: 'text/markdown' },
      async ({ href }) => ({
        contents: [
          { uri: href, mimeType: 'text/markdown', text: readPackageFile(`docs/${page}`).toString() },
        ],
      }),
    )
  for (const [name, { description, text }] of Object.entries(PROMPTS))
    server.registerPrompt(name, { description }, () => ({
      messages: [{ role: 'user', content: { type: 'text', text } }],
    }))
  return server
}

function addTool(
  server: McpServer,
  name: string,
  { description, changes, input, run }: Tool,
  connection: Connection,
): void {
  const problems = validator(input)
  // Our own messages name the field and the rule, as everywhere.
  const messages = {
    getValidator: () => (given: unknown) => {
      const found = problems(given)
      const errorMessage = found.map(({ field, message }) => `${field} ${message}`).join('; ')
      return found.length > 0
        ? { valid: false as const, data: undefined, errorMessage }
        : { valid: true as const, data: given as never, errorMessage: undefined }
    },
  }
  server.registerTool(
    name,
    {
      description,
      inputSchema: fromJsonSchema(input as never, messages as never),
      annotations: { readOnlyHint: !changes, destructiveHint: false, openWorldHint: false },
    },
    async (given: unknown) => {
      try {
        const { agent, news } = await connection.now()
        const answer = await run(agent, (given ?? {}) as never)
        const says = news === undefined ? answer.says : `${news} ${answer.says}`
        const content = [{ type: 'text' as const, text: textOf({ ...answer, says }) }]
        return { content, isError: answer.failed ?? false }
      } catch (error) {
        return { content: [{ type: 'text' as const, text: textOf(refusal(error)) }], isError: true }
      }
    },
  )
}

/** A refusal of the server may repeat the text of a record, so it is data. */
function refusal(error: unknown) {
  if (error instanceof UsageError) return { says: error.message }
  if (error instanceof ScenarioError) return { says: 'The text is no scenario.', data: error.message }
  if (error instanceof ControlUnreachableError)
    return { says: 'The simulator does not answer.', next: ['start it again with `paysim serve`'] }
  if (error instanceof ControlError || error instanceof ClientError)
    return {
      says: 'The simulator refused this.',
      data: { message: error.message },
      next: ['why explains the record'],
    }
  throw error
}

const docPages = () =>
  packageFilesBelow('docs')
    .filter(name => name.endsWith('.md'))
    .sort()

/** Tasks that a person can pick in the client. */
const PROMPTS: Readonly<Record<string, { readonly description: string; readonly text: string }>> = {
  'why-does-my-webhook-fail': {
    description: 'Find out why a webhook does not arrive or is not taken, mend it, and prove it',
    text: `A webhook of paysim does not arrive, or my endpoint does not take it. Find out why and mend it.
1. Call deliveries with status pending,failed. If there is no endpoint, say how to add one with \`paysim webhooks listen --forward-to\` or \`paysim sim endpoints add\`.
2. Call why with the id of a delivery that fails: it says what the endpoint answered.
3. Find the handler in this project. Check that it verifies the signature over the raw body, answers 2xx before slow work, and takes the same event twice.
4. Mend it, then call redeliver, and why once more, until the delivery is delivered.
5. Say in two sentences what was wrong, and show the change.`,
  },
  'write-a-test-for-this-payment': {
    description: 'Turn what happened to a payment into a test that passes',
    text: `Write a test for a payment that paysim knows. Ask me for its id if I gave none.
1. Call history with the id: who did what, and when.
2. Read the resources docs/testing.md and docs/scenarios.md.
3. Write a scenario of the same steps with what you saw as expectations: references instead of ids, \`advance\` instead of times.
4. Play it with run_scenario until it passes. Then change one expectation, and see that it fails.
5. Save it where this project keeps its tests, in the project's own test framework if that has one for paysim, and run it.`,
  },
}
